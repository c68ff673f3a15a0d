package identity

import (
	"math"
	"testing"

	"muster/client/decide"
	"muster/client/folder"
)

func TestRecordText(t *testing.T) {
	watch := &decide.Watch{Host: "n", Port: 1, EveryMs: math.Inf(1)}
	record := decide.Record{Phase: decide.Told, Place: &decide.Place{Fqdn: "node1.acme.test", Watch: watch}}
	if text, err := RecordText(record); err == nil {
		t.Errorf("a record that JSON cannot hold is written as %q", text)
	}
	watch.EveryMs = 86_400_000
	text, err := RecordText(record)
	if err != nil {
		t.Fatal(err)
	}
	home := folder.Folder{Path: t.TempDir() + "/home"}
	if err := Keep(home, text); err != nil {
		t.Fatal(err)
	}
	if read, err := RecordIn(home); err != nil || read.Place == nil || *read.Place.Watch != *watch {
		t.Errorf("%q is read again as %v (%v)", text, read, err)
	}
}
