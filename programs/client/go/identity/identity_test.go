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

func TestRecordTextIsTheModels(t *testing.T) {
	record := decide.Record{
		Phase: decide.Onboarded, Token: "a.b", Driven: "node1.acme.test",
		Place: &decide.Place{Fqdn: "node1.acme.test", Watch: &decide.Watch{Host: "n", Port: 1, EveryMs: 5_000}},
		Died:  &decide.Died{Times: 2, At: 1_700_000_000_123, Why: "it is <failed> & gone"},
	}
	want := `{"phase":"onboarded","token":"a.b","place":{"fqdn":"node1.acme.test","watch":{"host":"n","port":1,"everyMs":5000}},` +
		`"driven":"node1.acme.test","died":{"times":2,"at":1700000000123,"why":"it is <failed> & gone"}}` + "\n"
	if text, err := RecordText(record); err != nil || text != want {
		t.Errorf("the text is %s (%v)", text, err)
	}
}
