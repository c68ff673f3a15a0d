// Package folder keeps the daemon's own files: small ones that are whole or absent, and that no other user can read. It
// has the same files, modes and lock as lib/machine/folder.ts, so that either daemon takes over from the other.
package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Folder is a daemon's own folder. It is made, with mode 0700, when first written to or held.
type Folder struct{ Path string }

// Read gives the text of a file, and whether there is one. The error is one of the file system, or NotOurs.
func (f Folder) Read(name string) (text string, found bool, err error) {
	if err := judge(f.Path, ownFolder, false, nil); err != nil {
		return "", false, err
	}
	return readJudged(filepath.Join(f.Path, name), ownFile)
}

// Write replaces a file at once: after a power cut it holds either the old text or the new.
func (f Folder) Write(name, text string) error {
	if err := f.make(); err != nil {
		return err
	}
	return Replace(filepath.Join(f.Path, name), filepath.Join(f.Path, name+".part"), []byte(text), nil)
}

// Remove removes a file, if it is there.
func (f Folder) Remove(name string) error {
	if err := judge(f.Path, ownFolder, false, nil); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(f.Path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// make judges the folder twice: its parents before anything is made there, and itself once it exists.
func (f Folder) make() error {
	if err := judge(f.Path, ownFolder, true, nil); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return err
	}
	return judge(f.Path, ownFolder, false, nil)
}

// Hold locks the folder for this process, until release is called or the process ends in any way. It gives nil when
// another process has the lock. The lock is the one that SQLite takes for an exclusive transaction, on the same file
// (https://www.sqlite.org/src/file/src/os.h): the daemon in TypeScript, which has no other lock, respects it.
func (f Folder) Hold() (release func(), err error) {
	if err := f.make(); err != nil {
		return nil, err
	}
	path := filepath.Join(f.Path, "lock")
	if err := judge(path, ownFile, false, nil); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Chmod(0o600); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: pendingByte, Len: lockBytes}
	err = syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return nil, file.Close()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { file.Close() }, nil
}

// The bytes that SQLite locks, beyond the content of any file of ours: pending, reserved, and 510 shared ones.
const (
	pendingByte = 0x40000000
	lockBytes   = 512
)

// Replace writes a file beside its place, by the name part, and renames it: a reader finds the old one or the new one,
// also after a power cut. Owned, if given, sets mode and owner before anything can be read by the new name.
func Replace(path, part string, content []byte, owned func(*os.File) error) error {
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(filled(file, content, owned), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

func filled(file *os.File, content []byte, owned func(*os.File) error) error {
	if _, err := file.Write(content); err != nil {
		return err
	}
	if owned != nil {
		if err := owned(file); err != nil {
			return err
		}
	}
	return file.Sync()
}

// Sync writes a folder out: a created or removed name survives a power cut only then.
func Sync(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
