package folder

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// NotOurs is a folder, file or link that others could have planted or may change. Its text names the path, the reason
// and the remedy.
type NotOurs struct{ why string }

func (e NotOurs) Error() string { return e.why }

// wanted is the kind that a path must be: our own folder or file, or a file that an administrator of the machine may
// have given us.
type wanted int

const (
	ownFolder wanted = iota
	ownFile
	givenFile
)

const (
	writableByOthers = 0o022
	groupWrites      = 0o020
)

// ReadGiven gives the text of a file that the operator named. It may belong to root too, and pipes are read as they are.
func ReadGiven(path string) (string, error) {
	text, found, err := readJudged(path, givenFile)
	if err == nil && !found {
		return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	}
	return text, err
}

func readJudged(path string, want wanted) (text string, found bool, err error) {
	// Opened first, so that the file that is judged is the file that is read.
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return "", false, nil
	}
	if err != nil {
		// The owner explains more than the failure to open it.
		if fault := judge(path, want, true, nil); fault != nil {
			return "", false, fault
		}
		return "", false, err
	}
	defer file.Close()
	open, err := file.Stat()
	if err != nil {
		return "", false, err
	}
	if want == ownFile || open.Mode().IsRegular() {
		if err := judge(path, want, false, open); err != nil {
			return "", false, err
		}
	}
	content, err := io.ReadAll(file)
	return string(content), err == nil, err
}

// judge refuses a path that is not what is wanted, from the root down. A missing one passes unless absent is judged as
// well. Open is the file that was opened under the path, which must be the one found there.
func judge(path string, want wanted, judgesAbsent bool, open fs.FileInfo) error {
	me := os.Geteuid()
	at, faultOnWay, err := resolve(path, me)
	if err != nil {
		return err
	}
	if at == nil && !judgesAbsent {
		return nil
	}
	fault := faultOnWay
	if fault == "" && at != nil {
		fault = faultOf(*at, want, me)
	}
	if fault == "" && at != nil && open != nil && !os.SameFile(open, at.info) {
		fault = path + " was replaced while it was read: check who can write there"
	}
	if fault != "" {
		return NotOurs{fault}
	}
	return nil
}

// found is a file or folder at the end of a path.
type found struct {
	path string
	info fs.FileInfo
}

func (f found) stat() *syscall.Stat_t { return f.info.Sys().(*syscall.Stat_t) }
func (f found) mode() uint32          { return uint32(f.stat().Mode) & 0o7777 }
func (f found) isSticky() bool        { return f.info.Mode()&fs.ModeSticky != 0 }

func faultOf(f found, want wanted, me int) string {
	isFolder := want == ownFolder
	if f.info.IsDir() != isFolder {
		if isFolder {
			return f.path + " is not a folder: move it away"
		}
		return f.path + " is a folder: move it away"
	}
	uid := int(f.stat().Uid)
	if uid != me && !(want == givenFile && uid == 0) {
		return fmt.Sprintf("%s belongs to user %d, and this program runs as user %d: %s", f.path, uid, me, mendOf(f.path, want, me))
	}
	if f.mode()&writableByOthers != 0 {
		mode := 600
		if isFolder {
			mode = 700
		}
		return fmt.Sprintf("%s can be written to by others (mode %04o): check its content, then chmod %d %s", f.path, f.mode(), mode, f.path)
	}
	if want == ownFile && f.stat().Nlink > 1 {
		return fmt.Sprintf("%[1]s has %[2]d names (hard links), and others may use another one: cp %[1]s %[1]s.own && mv %[1]s.own %[1]s", f.path, f.stat().Nlink)
	}
	return ""
}

func mendOf(path string, want wanted, me int) string {
	if want == ownFolder {
		return fmt.Sprintf("run it as that user, name another folder, or, if everything in it is yours, chown -R %d %s", me, path)
	}
	return fmt.Sprintf("run it as that user, or, if its content is yours, chown %d %s", me, path)
}
