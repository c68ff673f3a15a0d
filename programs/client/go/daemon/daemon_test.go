package daemon

import "testing"

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
