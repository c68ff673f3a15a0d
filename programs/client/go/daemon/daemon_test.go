package daemon

import (
	"context"
	"testing"

	"muster/client/decide"
)

func TestWaitMs(t *testing.T) {
	for _, one := range []struct{ wakeAt, now, want float64 }{
		{1_500, 1_000, 500},
		{1_000, 1_500, 0},
		{1e16, 0, 2_147_483_647},
	} {
		if got := waitMs(one.wakeAt, one.now); got != one.want {
			t.Errorf("at %v the timer for %v is set for %v ms, not for %v", one.now, one.wakeAt, got, one.want)
		}
	}
}

func TestPanicIsAnError(t *testing.T) {
	// A daemon without a driver panics when it is to start something.
	came := (&Daemon{}).outcomeOf(context.Background(), decide.Start{Fqdn: "node1.acme.test"}, decide.Told)
	if came.err == nil || came.input != nil {
		t.Errorf("a panic comes as %v", came)
	}
}
