package folder

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The most links that Linux follows (https://man7.org/linux/man-pages/man7/path_resolution.7.html).
const linksMax = 40

// way is a path that is resolved, part by part. Trusted are the owners of the folders above: the user who resolves it
// (me), root, and the owner of the root folder.
type way struct {
	path    string
	trusted map[int]bool
	me      int
	program string
	// at is what was reached, rest the parts that are left, and fault the first part on the way that others could change.
	at    found
	rest  []string
	links int
	fault string
}

// resolve follows a path as the kernel does: behind a link, ".." is the folder above the place that the link leads to. It
// gives what is at its end, if anything, and the first fault on the way.
func resolve(path string, me int) (at *found, fault string, err error) {
	whole := path
	if !filepath.IsAbs(path) {
		here, err := os.Getwd()
		if err != nil {
			return nil, "", err
		}
		whole = here + "/" + path
	}
	top, err := topFolder()
	if err != nil {
		return nil, "", err
	}
	trusted := map[int]bool{me: true, 0: true, int(top.stat().Uid): true}
	w := way{path: path, trusted: trusted, me: me, program: programFolder(), at: top, rest: partsOf(whole)}
	for len(w.rest) > 0 {
		if isThere, err := w.step(); err != nil || !isThere {
			return nil, w.fault, err
		}
	}
	return &w.at, w.fault, nil
}

func topFolder() (found, error) {
	info, err := os.Lstat("/")
	return found{"/", info}, err
}

// step follows the next part; it tells whether anything is there.
func (w *way) step() (isThere bool, err error) {
	w.blame(faultAbove(w.at, *w))
	next := filepath.Join(w.at.path, w.rest[0])
	info, err := os.Lstat(next)
	if os.IsNotExist(err) || os.IsPermission(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.rest = w.rest[1:]
	if info.Mode()&fs.ModeSymlink != 0 {
		return w.follow(found{next, info})
	}
	w.at = found{next, info}
	return true, nil
}

// follow puts the target of a link before the parts that are left, unless there were too many links.
func (w *way) follow(link found) (bool, error) {
	w.blame(faultOfLink(link, *w))
	if w.links++; w.links > linksMax {
		w.blame(fmt.Sprintf("%s leads through more than %d links: name the place itself", w.path, linksMax))
		return false, nil
	}
	target, err := os.Readlink(link.path)
	if err != nil {
		return false, err
	}
	if filepath.IsAbs(target) {
		if w.at, err = topFolder(); err != nil {
			return false, err
		}
	}
	w.rest = append(partsOf(target), w.rest...)
	return true, nil
}

// blame keeps the first fault.
func (w *way) blame(fault string) {
	if w.fault == "" {
		w.fault = fault
	}
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
