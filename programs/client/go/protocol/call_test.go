package protocol

import (
	"testing"

	"muster/client/decide"
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
