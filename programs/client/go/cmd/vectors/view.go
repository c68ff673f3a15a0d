package main

import (
	"fmt"

	"muster/client/decide"
)

// stateView gives a state as the model has it: what is absent there is absent here.
func stateView(s decide.State) map[string]any {
	view := map[string]any{
		"phase":      s.Phase,
		"drive":      driveView(s.Drive),
		"call":       map[string]any{"name": s.Call.Name, "at": s.Call.At},
		"passedOver": s.PassedOver,
		"failures":   s.Failures,
		"watching":   lookingView(s.Watching),
		"ended":      s.Ended,
	}
	if s.Token != "" {
		view["token"] = s.Token
	}
	if s.Place != nil {
		view["place"] = s.Place
	}
	if s.LostAt != nil {
		view["lostAt"] = *s.LostAt
	}
	if s.Calling != nil {
		view["calling"] = map[string]any{"name": s.Calling.Name, "again": s.Calling.Again}
	}
	if s.Look != nil {
		view["look"] = lookingView(*s.Look)
	}
	if s.Died != nil {
		view["died"] = s.Died
	}
	if s.WakeAt != nil {
		view["wakeAt"] = *s.WakeAt
	}
	return view
}

func lookingView(l decide.Looking) map[string]any {
	return map[string]any{"at": l.At, "misses": l.Misses, "checking": l.Checking}
}

func driveView(d decide.Drive) map[string]any {
	if d.Is == decide.Off {
		return map[string]any{"is": d.Is}
	}
	view := map[string]any{"is": d.Is, "fqdn": d.Fqdn, "failures": d.Failures}
	switch d.Is {
	case decide.On:
		view["since"] = d.Since
	case decide.Unsure:
		view["notBefore"] = d.NotBefore
		if d.Failed != "" {
			view["failed"] = d.Failed
		}
	}
	return view
}

func actionView(action decide.Action) map[string]any {
	switch a := action.(type) {
	case decide.Knock:
		view := map[string]any{"do": "knock", "lost": a.Lost}
		if a.Confirmed != "" {
			view["confirmed"] = a.Confirmed
		}
		return view
	case decide.Ask:
		view := map[string]any{"do": a.Call}
		if a.Token != "" {
			view["token"] = a.Token
		}
		if a.LostMs != nil {
			view["lostMs"] = *a.LostMs
		}
		return view
	case decide.Probe:
		return map[string]any{"do": "watch", "fqdn": a.Fqdn, "watch": a.Watch}
	case decide.Start:
		return map[string]any{"do": "start", "fqdn": a.Fqdn}
	case decide.Look:
		return map[string]any{"do": "look", "fqdn": a.Fqdn}
	case decide.Stop:
		return map[string]any{"do": "stop"}
	case decide.Say:
		return map[string]any{"do": "say", "line": a.Line}
	case decide.End:
		return map[string]any{"do": "end"}
	default:
		panic(fmt.Sprintf("there is no view of a %T", action))
	}
}
