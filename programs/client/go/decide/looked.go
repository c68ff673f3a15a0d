package decide

const (
	// How often to look whether the driven software is up.
	lookEveryMs = 30 * SecondMs
	// How soon to look again at software that is not up: an upgrade of its package may be restarting it.
	againMs = 5 * SecondMs
	// How long software must stay up before its earlier ends are forgotten.
	steadyMs = 10 * MinuteMs
)

// looked folds in a look at the driven software. Software that was not up twice in a row has ended by itself and is
// started again. A minion ends when its master has rejected its key, even if the key is accepted a minute later.
func looked(s State, in Looked, now Moment) (State, []string) {
	if s.Look == nil {
		return s, nil
	}
	misses := s.Look.Misses
	s.Look = &Looking{At: now + lookEveryMs}
	if s.Drive.Is != On || s.Drive.Fqdn != in.Fqdn {
		return s, nil
	}
	if !in.Seen || in.Up {
		return staysUp(s, now)
	}
	if misses == 0 {
		s.Look = &Looking{At: now + againMs, Misses: 1}
		return s, nil
	}
	times := 1
	says := []string{"the driven software ended by itself (" + in.Why + "); starting it again"}
	if s.Died != nil {
		times, says = s.Died.Times+1, nil
	}
	failures := s.Drive.Failures + 1
	s.Drive = Drive{Is: Unsure, Fqdn: in.Fqdn, Failures: failures, Failed: "start", NotBefore: now + backoffMs(failures, in.Random, 0)}
	s.Died = &Died{Times: times, At: now, Why: in.Why}
	return s, says
}

func staysUp(s State, now Moment) (State, []string) {
	if now-s.Drive.Since < steadyMs {
		return s, nil
	}
	died := s.Died
	s.Died = nil
	s.Drive.Failures = 0
	if died == nil {
		return s, nil
	}
	return s, []string{"the driven software has stayed up since it was started again"}
}
