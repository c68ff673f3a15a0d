package drivers

import (
	"path/filepath"
	"strings"
	"testing"

	"muster/client/folder"
)

const whole = `{"version":1,"kind":"salt-minion","files":[{"file":"etc/a","before":{"base64":"YQ==","mode":420,"uid":0,"gid":0},` +
	`"after":"Yg=="},{"file":"etc/b"}],"units":[{"unit":"a.service","ran":true}]}`

func TestReadJournal(t *testing.T) {
	home := folder.Folder{Path: filepath.Join(t.TempDir(), "home")}
	read := func(text string) (*journal, error) {
		if err := home.Write(journalFile, text); err != nil {
			t.Fatal(err)
		}
		return readJournal(home)
	}
	if got, err := read(whole + "\n"); err != nil || len(got.Files) != 2 || got.Files[0].Before.Mode != 420 || !got.Units[0].Ran {
		t.Fatalf("a whole journal is read as %v (%v)", got, err)
	}
	for part, instead := range map[string]string{
		`,"mode":420`:      ``,
		`,"uid":0`:         ``,
		`,"gid":0`:         ``,
		`"mode":420`:       `"Mode":420`,
		`"kind"`:           `"Kind"`,
		`"version":1`:      `"version":2`,
		`"YQ=="`:           `"YQ"`,
		`"Yg=="`:           `"Yg\n=="`,
		`"files":[`:        `"more":1,"files":[`,
		`,"ran":true`:      ``,
		`{"file":"etc/b"}`: `{"file":"etc/b","before":null}`,
		`{"version"`:       `[{"version"`,
		`"ran":true}]}`:    `"ran":true}]}}`,
		`"a.service"`:      `1`,
	} {
		text := strings.Replace(whole, part, instead, 1)
		if got, err := read(text); err == nil {
			t.Errorf("%s is read as %v", text, *got)
		}
	}
}
