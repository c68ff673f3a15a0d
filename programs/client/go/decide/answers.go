package decide

const (
	// The pause before the next call when Muster names none.
	nextDefaultMs = MinuteMs
	// The shortest pause: no answer makes a daemon call again sooner.
	nextMinMs = SecondMs
	// The longest pause. Muster itself gives at most a day, and a broken or hostile server must not put a daemon to sleep
	// for ever.
	nextMaxMs = 36 * HourMs
	// After so many answers in a row that it is not its turn, the daemon knocks. A token that it takes for good may be
	// worthless, and a knock costs Muster little more than the question.
	passedOverMax = 4
)

// heardAnswer folds in what every answer has, then the answer itself: what the machine is now, and what to call next.
func heardAnswer(s State, h Headers, now Moment, fold func(State, Moment) (State, []string)) (State, []string) {
	s.Failures = 0
	if h.Token != "" {
		s.Token = h.Token
	}
	nextMs := nextDefaultMs
	if h.NextMs != nil {
		nextMs = *h.NextMs
	}
	later := now + clamp(nextMs, nextMinMs, nextMaxMs)
	next, says := fold(s, later)
	if h.Knock {
		// The knock waits for the given time: the token that it gets may be valid only from then on.
		next.Call = NextCall{CallKnock, later}
	}
	return afterCall(next, now), says
}

func onByte(s State, in Byte, now, later Moment) (State, []string) {
	s.PassedOver = 0
	switch in.Byte {
	case "0":
		return onNew(s, in.Call, now, later)
	case "1":
		return onOnboarded(s, in.Watch, now, later)
	case "2":
		return onOrphan(s, now, later)
	default:
		s.Token, s.Place, s.Phase = "", nil, Deleted
		return s, []string{"deleted: this machine is banned; its daemon ends"}
	}
}

// onNew handles New. Only the answer to a knock is final: after any other call the machine knocks first, because Muster
// may merely have forgotten it there.
func onNew(s State, call Call, now, later Moment) (State, []string) {
	if call != CallKnock {
		s.Call = NextCall{CallKnock, now}
		return s, nil
	}
	was := s.Phase
	s.Token, s.Place, s.Phase, s.LostAt = "", nil, New, nil
	s.Call = NextCall{CallKnock, later}
	if was == New {
		return s, nil
	}
	return s, []string{"new: waiting to be accepted"}
}

func onOnboarded(s State, watch *Watch, now, later Moment) (State, []string) {
	if s.Place == nil {
		// Muster knows the place and this daemon does not, because its folder was lost. The orphan call names the place.
		s.Phase = Orphan
		s.Call = NextCall{CallOrphan, now}
		return s, nil
	}
	was := s.Phase
	if watch != nil {
		s.Place = &Place{Fqdn: s.Place.Fqdn, Watch: watch}
	}
	s.Phase = Onboarded
	s.Call = NextCall{CallStatus, later}
	if was == Onboarded {
		return s, nil
	}
	return s, []string{"onboarded on " + s.Place.Fqdn}
}

func onOrphan(s State, now, later Moment) (State, []string) {
	// A node that is assigned and not confirmed yet is Orphan on the wire. The daemon keeps the assignment and asks again
	// at the given time. If the node is lost, it asks at once whether that is still its node.
	if s.Phase == Told && s.LostAt == nil {
		s.Call = NextCall{CallOrphan, later}
		return s, nil
	}
	was, place := s.Phase, s.Place
	s.Phase, s.Place = Orphan, nil
	s.Call = NextCall{CallOrphan, now}
	switch {
	case was == Orphan:
		return s, nil
	case place != nil:
		return s, []string{"orphan: no longer on " + place.Fqdn}
	default:
		return s, []string{"accepted: asking for a node"}
	}
}

func onAssigned(s State, in Assigned, now, later Moment) (State, []string) {
	s.PassedOver = 0
	isSame := s.Place != nil && s.Place.Fqdn == in.Fqdn
	s.Phase = Told
	s.Place = &Place{Fqdn: in.Fqdn, Watch: in.Watch}
	// The place may change while the driver works, so the daemon asks again at the given time. It knocks once the driver
	// succeeds.
	s.Call = NextCall{CallOrphan, later}
	if s.Drive.Is == On && s.Drive.Fqdn == in.Fqdn {
		s.Call = NextCall{CallKnock, now}
	}
	if isSame {
		return s, nil
	}
	everyMs := 0.0
	if in.Watch != nil {
		everyMs = in.Watch.EveryMs
	}
	s.LostAt = nil
	s.Watching = Looking{At: now + round(float64(everyMs*in.Random)), Checking: s.Watching.Checking}
	return s, []string{"assigned to node " + in.Fqdn}
}

func onNoPlace(s State, later Moment) (State, []string) {
	place := s.Place
	s.Phase, s.Place = Orphan, nil
	s.PassedOver++
	s.Call = NextCall{CallOrphan, later}
	if s.PassedOver >= passedOverMax {
		s.PassedOver = 0
		s.Call.Name = CallKnock
	}
	if place == nil {
		return s, nil
	}
	return s, []string{"orphan: " + place.Fqdn + " is no longer its node, and no other is assigned yet"}
}
