package drivers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"muster/client/folder"
)

func TestFolderOfOthersIsNoFailedRun(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	driver := &serviceDriver{folder: folder.Folder{Path: home}}
	_, ofStart := driver.Start("node1.acme.test")
	_, ofStop := driver.Stop()
	_, ofRecover := driver.Recover()
	for _, err := range []error{ofStart, ofStop, ofRecover} {
		var notOurs folder.NotOurs
		if !errors.As(err, &notOurs) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestMachineWithoutTheSoftwareIsAFailedRun(t *testing.T) {
	driver := &serviceDriver{
		kind:   Kind{Name: "none", units: func(Root) []string { return nil }},
		folder: folder.Folder{Path: filepath.Join(t.TempDir(), "home")},
	}
	ran, err := driver.Stop()
	if err != nil || ran.Ok() {
		t.Errorf("the run gives %v and %v", ran, err)
	}
}
