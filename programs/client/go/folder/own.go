package folder

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	// The most links that Linux follows (https://man7.org/linux/man-pages/man7/path_resolution.7.html).
	linksMax = 40
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

// way is a path that is resolved, and the owners trusted with the folders above: the user who resolves it, root, and the
// owner of the root folder.
type way struct {
	path    string
	trusted map[int]bool
	me      int
	program string
}

// resolve follows a path as the kernel does. It gives what is at its end, if anything, and the first fault on the way: a
// part that others could change.
func resolve(path string, me int) (at *found, fault string, err error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return nil, "", err
		}
		whole = here + "/" + path
	}
	info, err := os.Lstat("/")
	if err != nil {
		return nil, "", err
	}
	top := found{"/", info}
	w := way{path: path, trusted: map[int]bool{me: true, 0: true, int(top.stat().Uid): true}, me: me, program: programFolder()}
	current := top
	rest := partsOf(whole)
	for links := 0; len(rest) > 0; {
		fault = first(fault, faultAbove(current, w))
		next := filepath.Join(current.path, rest[0])
		if rest[0] == ".." {
			next = filepath.Dir(current.path)
		}
		info, err := os.Lstat(next)
		if os.IsNotExist(err) || os.IsPermission(err) {
			return nil, fault, nil
		}
		if err != nil {
			return nil, "", err
		}
		rest = rest[1:]
		if info.Mode()&fs.ModeSymlink == 0 {
			current = found{next, info}
			continue
		}
		fault = first(fault, faultOfLink(found{next, info}, w))
		if links++; links > linksMax {
			return nil, first(fault, fmt.Sprintf("%s leads through more than %d links: name the place itself", path, linksMax)), nil
		}
		target, err := os.Readlink(next)
		if err != nil {
			return nil, "", err
		}
		if filepath.IsAbs(target) {
			current = top
		}
		rest = append(partsOf(target), rest...)
	}
	return &current, fault, nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func partsOf(path string) []string {
	var parts []string
	for _, part := range strings.Split(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}

func faultOfLink(f found, w way) string {
	if uid := int(f.stat().Uid); !w.trusted[uid] {
		return fmt.Sprintf("%s is a link of user %d, who can redirect it: remove it", f.path, uid)
	}
	return ""
}

// faultAbove tells why a folder on the way is refused: its owner, or others, could replace what is below it. A user who
// can change a folder above the program can replace the program itself, so refusing the folder gains nothing.
func faultAbove(f found, w way) string {
	if strings.HasPrefix(w.program+"/", strings.TrimSuffix(f.path, "/")+"/") {
		return ""
	}
	if uid := int(f.stat().Uid); !w.trusted[uid] {
		return fmt.Sprintf("%s belongs to user %d, who could replace %s in it: name a place that is yours, or chown %d %s", f.path, uid, w.path, w.me, f.path)
	}
	if isOpen(f, w.me) {
		return fmt.Sprintf("others can write to %s (mode %04o) and replace %s in it: chmod go-w %s", f.path, f.mode(), w.path, f.path)
	}
	return ""
}

// isOpen tells whether others can rename entries of a folder. The group of root, and the user's own group with the same
// number, do not count as others.
func isOpen(f found, me int) bool {
	if f.mode()&writableByOthers == 0 || f.isSticky() {
		return false
	}
	gid := int(f.stat().Gid)
	return f.mode()&writableByOthers != groupWrites || (gid != 0 && gid != me)
}

func programFolder() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return filepath.Dir(program)
}
