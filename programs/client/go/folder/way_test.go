package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{"home", "real/home", "real/sub"} {
		if err := os.MkdirAll(base+"/"+one, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": "real/sub", "whole": base + "/real", "loop": "loop"} {
		if err := os.Symlink(target, base+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/home":            "/home",
		"/real/../home":    "/home",
		"/link/../home":    "/real/home",
		"/whole/./home/":   "/real/home",
		"/whole/sub/../..": "",
	} {
		at, fault, err := resolve(base+path, os.Geteuid())
		if err != nil || fault != "" || at == nil || at.path != base+want {
			t.Errorf("%s leads to %v (%q, %v), not to %s", path, at, fault, err, want)
		}
	}
	if at, fault, err := resolve(base+"/link/../absent", os.Geteuid()); at != nil || fault != "" || err != nil {
		t.Errorf("what is not there is %v (%q, %v)", at, fault, err)
	}
	if at, fault, err := resolve(base+"/loop", os.Geteuid()); at != nil || !strings.Contains(fault, "more than 40 links") || err != nil {
		t.Errorf("a loop leads to %v (%q, %v)", at, fault, err)
	}
}
