package protocol

import (
	"math"
	"net/http"
	"testing"
	"time"

	"muster/client/decide"
	"muster/client/identity"
)

func TestParseWatch(t *testing.T) {
	for text, want := range map[string]decide.Watch{
		"node1.acme.test:4505;every=30":          {Host: "node1.acme.test", Port: 4505, EveryMs: 30_000},
		"127.0.0.1:80; every=1.5; since=7":       {Host: "127.0.0.1", Port: 80, EveryMs: 1_500},
		"n:1;every=0.0001":                       {Host: "n", Port: 1, EveryMs: 1_000},
		"n:1;every=1e306":                        {Host: "n", Port: 1, EveryMs: 86_400_000},
		"n:1;every=1e400":                        {Host: "n", Port: 1, EveryMs: 86_400_000},
		"n:1;every=Infinity":                     {Host: "n", Port: 1, EveryMs: 86_400_000},
		"node1.acme.test:4505;every=3;every=100": {Host: "node1.acme.test", Port: 4505, EveryMs: 3_000},
	} {
		if got := ParseWatch(text); got == nil || *got != want {
			t.Errorf("%q is read as %v, not as %v", text, got, want)
		}
	}
	for _, text := range []string{"", "n:1", "n;every=30", "a:70000;every=3", "n:1;every=0", "n:1;every=-1", "n:1;every=NaN", "n:1;every=soon"} {
		if got := ParseWatch(text); got != nil {
			t.Errorf("%q is read as %v", text, *got)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"30": 30, "1.5": 1.5, ".5": 0.5, "5.": 5, "1e3": 1_000, "-2": -2, "1e400": math.Inf(1), "Infinity": math.Inf(1),
		"": 0, "inf": 0, "NaN": 0, "soon": 0, "1_000": 0, "0x1p3": 0, "3 s": 0,
	} {
		if got := number(text); got != want {
			t.Errorf("%q is read as %v, not as %v", text, got, want)
		}
	}
}

func TestLearnedFrom(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	unmet := identity.SignedFor{}
	met := identity.SignedFor{Deployment: "one", ClockAheadMs: 250}
	for _, one := range []struct {
		name, at    string
		known, want identity.SignedFor
	}{
		{"one", "1700000000250", unmet, met},
		{"", "", unmet, unmet},
		{"two words", "soon", unmet, unmet},
		{`one"`, "-5", unmet, unmet},
		{"two", "1700000000250", met, met},
		{"", "1699999999000", met, identity.SignedFor{Deployment: "one", ClockAheadMs: -1_000}},
		{"", "1700000000000000", met, met},
	} {
		headers := http.Header{}
		headers.Set("muster-deployment", one.name)
		headers.Set("muster-time", one.at)
		got, isNew := learnedFrom(headers, one.known, now)
		if got != one.want || isNew != (one.known != one.want) {
			t.Errorf("from %q and %q %v is learned (new: %v), not %v", one.name, one.at, got, isNew, one.want)
		}
	}
}
