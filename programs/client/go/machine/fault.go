package machine

import (
	"fmt"
	"runtime"
	"strings"
)

// depthMax is how many frames of a panic are looked at for the place that it came from.
const depthMax = 32

// Fault gives a panic as an error, with the place that it came from. It is called by the function that has recovered.
func Fault(panicked any) error {
	callers := make([]uintptr, depthMax)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for hasPanicked := false; ; {
		frame, more := frames.Next()
		switch isRuntime := strings.HasPrefix(frame.Function, "runtime."); {
		case frame.Function == "runtime.gopanic":
			hasPanicked = true
		case hasPanicked && !isRuntime:
			return fmt.Errorf("%v at %s (%s:%d)", panicked, frame.Function, frame.File, frame.Line)
		}
		if !more {
			return fmt.Errorf("%v", panicked)
		}
	}
}
