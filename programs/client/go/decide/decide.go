package decide

// Decide gives what a client daemon does next. It folds in what happened, then starts whatever is due: one call, one
// probe of the node and one run of the driver at a time, so that none waits for another.
func Decide(state State, input Input, now Moment) (State, []Action) {
	if state.Ended {
		return state, nil
	}
	next, says := hear(state, input, now)
	var actions []Action
	for _, line := range says {
		actions = append(actions, Say{line})
	}
	for _, due := range []func(State, Moment) (State, Action){drive, look, call, watch, end} {
		var action Action
		if next, action = due(next, now); action != nil {
			actions = append(actions, action)
		}
	}
	next.WakeAt = wakeAt(next)
	return next, actions
}

// Wanted gives the node that the driven software should run for now; empty when it should not run.
func Wanted(s State) string {
	if (s.Phase != Told && s.Phase != Onboarded) || s.Place == nil {
		return ""
	}
	return s.Place.Fqdn
}

// drive moves the driven software towards the wanted node, one run at a time; a change of node begins with a stop.
func drive(s State, now Moment) (State, Action) {
	fqdn := Wanted(s)
	if rests(s, fqdn, now) {
		return s, nil
	}
	if s.Drive.Is != Off && s.Drive.Fqdn != fqdn {
		s.Drive = Drive{Is: Stopping, Fqdn: s.Drive.Fqdn, Failures: s.Drive.Failures}
		return s, Stop{}
	}
	s.Drive = Drive{Is: Starting, Fqdn: fqdn, Failures: s.Drive.Failures}
	return s, Start{fqdn}
}

// rests tells whether there is nothing for the driver to do now.
func rests(s State, fqdn string, now Moment) bool {
	switch s.Drive.Is {
	case Starting, Stopping:
		return true
	case Found:
		return s.Phase == Unheard || s.Phase == New
	case Unsure:
		next := "stop"
		if s.Drive.Fqdn == fqdn {
			next = "start"
		}
		return now < s.Drive.NotBefore && s.Drive.Failed == next
	case On:
		return s.Drive.Fqdn == fqdn
	default:
		return fqdn == ""
	}
}

// look sees at times whether what was started is still up.
func look(s State, now Moment) (State, Action) {
	if s.Drive.Is != On || s.Look == nil || s.Look.Checking || now < s.Look.At {
		return s, nil
	}
	s.Look = &Looking{At: s.Look.At, Misses: s.Look.Misses, Checking: true}
	return s, Look{s.Drive.Fqdn}
}

func call(s State, now Moment) (State, Action) {
	if s.Calling != nil || s.Phase == Deleted || now < s.Call.At {
		return s, nil
	}
	s.Calling = &Calling{Name: s.Call.Name}
	if s.Call.Name == CallKnock {
		return s, Knock{Confirmed: confirms(s), Lost: s.LostAt != nil}
	}
	ask := Ask{Call: s.Call.Name, Token: s.Token}
	if s.LostAt != nil {
		lostMs := now - *s.LostAt
		ask.LostMs = &lostMs
	}
	return s, ask
}

// confirms gives the node that a knock confirms: only one for which the driver has succeeded, and that is not lost
// meanwhile.
func confirms(s State) string {
	if s.Drive.Is == On && s.Drive.Fqdn == Wanted(s) && s.LostAt == nil {
		return s.Drive.Fqdn
	}
	return ""
}

func watch(s State, now Moment) (State, Action) {
	fqdn := Wanted(s)
	if fqdn == "" || s.Place.Watch == nil || s.Watching.Checking || now < s.Watching.At {
		return s, nil
	}
	s.Watching.Checking = true
	return s, Probe{fqdn, *s.Place.Watch}
}

// end ends the daemon of a banned machine once nothing is driven.
func end(s State, _ Moment) (State, Action) {
	if s.Phase != Deleted || s.Drive.Is != Off {
		return s, nil
	}
	s.Ended = true
	return s, End{}
}

// wakeAt gives the time of the next due action; work under way wakes the daemon by its outcome.
func wakeAt(s State) *Moment {
	if s.Ended {
		return nil
	}
	var at *Moment
	if s.Calling == nil && s.Phase != Deleted {
		at = earlier(at, &s.Call.At)
	}
	if Wanted(s) != "" && s.Place.Watch != nil && !s.Watching.Checking {
		at = earlier(at, &s.Watching.At)
	}
	if s.Drive.Is == Unsure {
		at = earlier(at, &s.Drive.NotBefore)
	}
	if s.Drive.Is == On && s.Look != nil && !s.Look.Checking {
		at = earlier(at, &s.Look.At)
	}
	if at == nil {
		return nil
	}
	moment := *at
	return &moment
}
