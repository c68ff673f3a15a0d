package drivers

import (
	"fmt"
	"strings"
	"time"

	"muster/client/identity"
	"muster/client/machine"
)

// The states of a service, in systemd's terms; a unit that systemd does not know counts as inactive.
const (
	active       = "active"
	activating   = "activating"
	deactivating = "deactivating"
	inactive     = "inactive"
	failed       = "failed"
)

var states = map[string]string{
	"active": active, "reloading": active, "refreshing": active, "activating": activating, "deactivating": deactivating,
	"inactive": inactive, "unknown": inactive, "maintenance": failed, "failed": failed,
}

// How long one call of the service manager may take: systemd itself gives a unit 90 s to stop before it kills it.
const callLimit = 2 * time.Minute

// Services is the service manager of this machine: systemctl, or another program that takes "start UNIT", "stop UNIT"
// and "is-active UNIT".
type Services struct{ Program string }

func (s Services) act(verb, unit string) error {
	ran, out := s.run(verb, unit)
	if ran.Ok() {
		return nil
	}
	return identity.Unusable{Why: fmt.Sprintf("%s %s %s failed (%s)%s", s.Program, verb, unit, ran.Why, after(out))}
}

func (s Services) state(unit string) (string, error) {
	// The exit code tells only whether the unit is active; the output names its state.
	ran, out := s.run("is-active", unit)
	first, _, _ := strings.Cut(out, "\n")
	if state, ok := states[strings.TrimSpace(first)]; ok {
		return state, nil
	}
	why := ran.Why
	if ran.Ok() {
		why = "exit code 0"
	}
	return "", identity.Unusable{Why: fmt.Sprintf("%s is-active %s did not name its state (%s)%s", s.Program, unit, why, after(out))}
}

func (s Services) run(verb, unit string) (machine.Ran, string) {
	ran, text, errors := machine.Output(s.Program, []string{verb, unit}, callLimit)
	out := strings.TrimSpace(text)
	if out == "" {
		out = strings.TrimSpace(errors)
	}
	if letters := []rune(out); len(letters) > 500 {
		out = string(letters[:500])
	}
	return ran, out
}

func after(out string) string {
	if out == "" {
		return ""
	}
	return ": " + out
}
