package main

import (
	"fmt"

	"muster/client/decide"
)

// given is an input as the model has it.
type given struct {
	Type         string        `json:"type"`
	Call         decide.Call   `json:"call"`
	Byte         string        `json:"byte"`
	Fqdn         string        `json:"fqdn"`
	Token        string        `json:"token"`
	Knock        bool          `json:"knock"`
	NextMs       *float64      `json:"nextMs"`
	Watch        *decide.Watch `json:"watch"`
	Why          string        `json:"why"`
	Unknown      bool          `json:"unknown"`
	RetryAfterMs float64       `json:"retryAfterMs"`
	Ok           bool          `json:"ok"`
	Ran          *ran          `json:"ran"`
	Random       float64       `json:"random"`
}

type ran struct {
	Ok  bool   `json:"ok"`
	Why string `json:"why"`
}

func (g given) input() (decide.Input, error) {
	headers := decide.Headers{Token: g.Token, Knock: g.Knock, NextMs: g.NextMs, Watch: g.Watch, Random: g.Random}
	switch g.Type {
	case "tick":
		return decide.Tick{}, nil
	case "knock-now":
		return decide.KnockNow{}, nil
	case "byte":
		return decide.Byte{Headers: headers, Call: g.Call, Byte: g.Byte}, nil
	case "place":
		return decide.Assigned{Headers: headers, Call: g.Call, Fqdn: g.Fqdn}, nil
	case "no-place":
		return decide.NoPlace{Headers: headers, Call: g.Call}, nil
	case "failed":
		return decide.Failed{Call: g.Call, Why: g.Why, Unknown: g.Unknown, RetryAfterMs: g.RetryAfterMs, Random: g.Random}, nil
	case "driven":
		return decide.Driven{Ok: g.Ok, Why: g.Why, Random: g.Random}, nil
	case "looked":
		looked := decide.Looked{Fqdn: g.Fqdn, Random: g.Random}
		if g.Ran != nil {
			looked.Seen, looked.Up, looked.Why = true, g.Ran.Ok, g.Ran.Why
		}
		return looked, nil
	case "watched":
		return decide.Watched{Fqdn: g.Fqdn, Ok: g.Ok, Random: g.Random}, nil
	default:
		return nil, fmt.Errorf("no input is of type %q", g.Type)
	}
}
