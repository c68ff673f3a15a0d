package drivers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"muster/client/folder"
	"muster/client/identity"
)

const journalFile = "driving.json"

// journal is the state before a run of everything that the run changes. It is written before the first step and removed
// after the last, so one on disk means a run that was cut off and must be undone.
type journal struct {
	Version int            `json:"version"`
	Kind    string         `json:"kind"`
	Files   []journalEntry `json:"files"`
	Units   []journalUnit  `json:"units"`
}

// journalEntry is a file before the run, if it was there, and the text that the run writes; none where it removes the
// file.
type journalEntry struct {
	File   string  `json:"file"`
	Before *before `json:"before,omitempty"`
	After  *string `json:"after,omitempty"`
}

// before is a file's bytes, in base64 because they need not be text, with its mode and owner.
type before struct {
	Base64 string `json:"base64"`
	Mode   uint32 `json:"mode"`
	UID    int    `json:"uid"`
	GID    int    `json:"gid"`
}

// journalUnit is a unit, and whether it was running; in the order in which they are started.
type journalUnit struct {
	Unit string `json:"unit"`
	Ran  bool   `json:"ran"`
}

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// journalOf gives the journal of a run that is about to take these steps.
func journalOf(kind string, units []unitState, steps []step, root Root) (*journal, error) {
	made := &journal{Version: 1, Kind: kind, Files: []journalEntry{}, Units: []journalUnit{}}
	for _, step := range steps {
		if step.do != "write" && step.do != "remove" {
			continue
		}
		now, err := root.read(step.file)
		if err != nil {
			return nil, err
		}
		one := journalEntry{File: step.file}
		if now != nil {
			one.Before = &before{base64Of(now.text), now.mode, now.uid, now.gid}
		}
		if step.do == "write" {
			after := base64Of(step.content.text)
			one.After = &after
		}
		made.Files = append(made.Files, one)
	}
	for _, one := range units {
		made.Units = append(made.Units, journalUnit{one.unit, one.runs()})
	}
	return made, nil
}

// readJournal gives the journal of a run that was cut off; nil when none was.
func readJournal(f folder.Folder) (*journal, error) {
	text, found, err := f.Read(journalFile)
	if err != nil || !found {
		return nil, err
	}
	var read journal
	if identity.Strictly(text, &read) != nil || !read.isWhole() {
		why := "%s/%s is damaged: a run was cut off and cannot be undone; check the machine's configuration, then remove the file"
		return nil, identity.Unusable{Why: fmt.Sprintf(why, f.Path, journalFile)}
	}
	return &read, nil
}

func (j journal) isWhole() bool {
	for _, one := range j.Files {
		if (one.Before != nil && !isBase64(one.Before.Base64)) || (one.After != nil && !isBase64(*one.After)) {
			return false
		}
	}
	return j.Version == 1 && j.Files != nil && j.Units != nil
}

// isBase64 is stricter than Go's decoder, which skips the ends of lines.
func isBase64(text string) bool {
	_, err := base64.StdEncoding.DecodeString(text)
	return err == nil && !strings.ContainsAny(text, "\r\n")
}

// store writes the journal; it is on disk when this returns.
func (j journal) store(f folder.Folder) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return f.Write(journalFile, string(text)+"\n")
}

// restoreFiles restores the files of a run. It gives those that something else has changed since; they are left alone.
func (j journal) restoreFiles(root Root) (others []string, err error) {
	for _, one := range j.Files {
		now, err := root.read(one.File)
		if err != nil {
			return others, err
		}
		if isAsBefore(now, one.Before) {
			continue
		}
		// A cache that has appeared again belongs to the node that the machine leaves again.
		isOurs := one.After == nil || (now != nil && base64Of(now.text) == *one.After)
		switch {
		case !isOurs:
			others = append(others, one.File)
		case one.Before == nil:
			err = root.remove(one.File)
		default:
			text, fault := base64.StdEncoding.DecodeString(one.Before.Base64)
			if fault != nil {
				return others, fault
			}
			err = root.write(one.File, fileFound{string(text), one.Before.Mode, one.Before.UID, one.Before.GID})
		}
		if err != nil {
			return others, err
		}
	}
	return others, nil
}

func isAsBefore(now *fileFound, was *before) bool {
	if now == nil || was == nil {
		return now == nil && was == nil
	}
	return base64Of(now.text) == was.Base64
}
