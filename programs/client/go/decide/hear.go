package decide

import "fmt"

// missesMax is after how many misses in a row a node counts as lost: a single one may be a lost packet.
const missesMax = 2

// hear folds an input into the state, and gives the lines for the log; Decide then chooses what to do about it.
func hear(s State, input Input, now Moment) (State, []string) {
	switch in := input.(type) {
	case KnockNow:
		return knockAt(s, now), nil
	case Byte:
		return heardAnswer(s, in.Headers, now, func(s State, later Moment) (State, []string) { return onByte(s, in, now, later) })
	case Assigned:
		return heardAnswer(s, in.Headers, now, func(s State, later Moment) (State, []string) { return onAssigned(s, in, now, later) })
	case NoPlace:
		return heardAnswer(s, in.Headers, now, onNoPlace)
	case Failed:
		next, says := failed(s, in, now)
		return afterCall(next, now), says
	case Driven:
		return driven(s, in, now)
	case Looked:
		return looked(s, in, now)
	case Watched:
		return watched(s, in, now)
	default:
		return s, nil
	}
}

// knockAt makes a knock due now, or right after the call that is under way.
func knockAt(s State, now Moment) State {
	if s.Calling != nil {
		s.Calling = &Calling{Name: s.Calling.Name, Again: true}
	} else {
		s.Call = NextCall{CallKnock, now}
	}
	return s
}

func afterCall(s State, now Moment) State {
	if s.Calling != nil && s.Calling.Again {
		s.Call = NextCall{CallKnock, now}
	}
	s.Calling = nil
	return s
}

// failed handles a failed call. Nothing changes on this machine because Muster could not be reached; the same call is
// tried again later.
func failed(s State, in Failed, now Moment) (State, []string) {
	s.Failures++
	name := in.Call
	if in.Unknown {
		name = CallKnock
	}
	s.Call = NextCall{name, now + backoffMs(s.Failures, in.Random, in.RetryAfterMs)}
	// Only the first failure in a row is logged.
	if s.Failures > 1 {
		return s, nil
	}
	return s, []string{in.Why + "; trying again"}
}

func driven(s State, in Driven, now Moment) (State, []string) {
	before := s.Drive
	if before.Is != Starting && before.Is != Stopping {
		return s, nil
	}
	if !in.Ok {
		return driverFailed(s, in, now)
	}
	if before.Is == Stopping {
		s.Died = nil
		s.Drive = Drive{Is: Off}
		return s, []string{"the driver has stopped"}
	}
	s.Drive = Drive{Is: On, Fqdn: before.Fqdn, Since: now}
	if s.Look != nil {
		// Software that ends again and again is started with growing pauses, until it has stayed up.
		s.Drive.Failures = before.Failures
		s.Look = &Looking{At: now + lookEveryMs, Checking: s.Look.Checking}
	}
	if s.Place != nil && s.Place.Fqdn == before.Fqdn {
		s = knockAt(s, now)
	}
	return s, []string{"the driver has started for " + before.Fqdn}
}

func driverFailed(s State, in Driven, now Moment) (State, []string) {
	what := "start"
	if s.Drive.Is == Stopping {
		what = "stop"
	}
	failures := s.Drive.Failures + 1
	s.Drive = Drive{Is: Unsure, Fqdn: s.Drive.Fqdn, Failures: failures, Failed: what, NotBefore: now + backoffMs(failures, in.Random, 0)}
	why := ""
	if in.Why != "" {
		why = ": " + in.Why
	}
	return s, []string{"the driver failed at " + what + why + "; trying again"}
}

func watched(s State, in Watched, now Moment) (State, []string) {
	s.Watching.Checking = false
	if s.Place == nil || s.Place.Watch == nil || s.Place.Fqdn != in.Fqdn {
		return s, nil
	}
	misses := 0
	if !in.Ok {
		misses = s.Watching.Misses + 1
	}
	wasLost := s.LostAt != nil
	everyMs := float64(s.Place.Watch.EveryMs * (0.9 + float64(0.2*in.Random)))
	s.Watching = Looking{At: now + round(everyMs), Misses: misses}
	switch {
	case in.Ok && wasLost:
		// Muster may have assigned another node meanwhile, while the machine could not confirm this one.
		s.LostAt = nil
		return knockAt(s, now), []string{in.Fqdn + " answers again"}
	case in.Ok || wasLost || misses < missesMax:
		return s, nil
	default:
		s.LostAt = &now
		return knockAt(s, now), []string{fmt.Sprintf("%s did not answer %d times in a row", in.Fqdn, misses)}
	}
}
