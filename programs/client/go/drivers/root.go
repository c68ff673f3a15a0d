// Package drivers moves the software that reports to a node: a Salt minion, the traditional client, or a command of the
// operator's. It follows programs/client/drivers/, file by file.
package drivers

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"muster/client/folder"
	"muster/client/identity"
)

// Root is a machine's files below "/", or below another folder for a test or an image.
type Root struct{ Path string }

// fileFound is a file as it is: its bytes, its mode and its owner.
type fileFound struct {
	text     string
	mode     uint32
	uid, gid int
}

func (r Root) has(file string) bool {
	_, err := os.Stat(filepath.Join(r.Path, file))
	return err == nil
}

// read gives a file; nil when there is none.
func (r Root) read(file string) (*fileFound, error) {
	path, err := r.within(file)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	return &fileFound{string(text), uint32(stat.Mode) & 0o7777, int(stat.Uid), int(stat.Gid)}, nil
}

// write replaces a file atomically: a reader finds the old one or the new one, also after a power cut. Salt reads every
// file there whose name ends in .conf; the unfinished file must not be one.
func (r Root) write(file string, found fileFound) error {
	path, err := r.within(file)
	if err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".muster-part")
	return folder.Replace(path, part, []byte(found.text), func(open *os.File) error {
		if err := open.Chown(found.uid, found.gid); err != nil {
			return err
		}
		// By number: os.FileMode has its own bits for setuid and the like.
		return syscall.Fchmod(int(open.Fd()), found.mode)
	})
}

func (r Root) remove(file string) error {
	path := filepath.Join(r.Path, file)
	if !r.has(file) {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return folder.Sync(filepath.Dir(path))
}

// within gives the path of a file, or of the file behind a link, so that the link stays. A link must not lead out of the
// root.
func (r Root) within(file string) (string, error) {
	path := filepath.Join(r.Path, file)
	if !r.has(file) {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(r.Path)
	if err != nil {
		return "", err
	}
	from, err := filepath.Rel(root, real)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(from, "..") {
		return "", identity.Unusable{Why: path + " is a link to " + real + ", which is not in " + r.Path}
	}
	return real, nil
}
