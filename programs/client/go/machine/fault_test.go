package machine

import (
	"strings"
	"testing"
)

func TestFault(t *testing.T) {
	defer func() {
		if why := Fault(recover()).Error(); !strings.Contains(why, "index out of range") || !strings.Contains(why, "fault_test.go") {
			t.Errorf("the fault is told as %q", why)
		}
	}()
	var none []int
	none[len(t.Name())]++
}
