// Package identity keeps what a machine is known by: its key, what its last daemon knew, the deployment that its knocks
// are signed for, and the minion beside it. The files are those of programs/client/identity.ts.
package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"reflect"
	"syscall"

	"muster/client/decide"
	"muster/client/folder"
	"muster/client/names"
)

// Unusable is a file of ours that an operator must inspect.
type Unusable struct{ Why string }

func (e Unusable) Error() string { return e.Why }

// IsOfMachine tells whether an error is a fault of the machine, that is, Unusable or one of the system: a run of the
// driver that fails by it is tried again. Any other error ends the daemon, folder.NotOurs too.
func IsOfMachine(err error) bool {
	var bad Unusable
	var ofPath *fs.PathError
	var ofLink *os.LinkError
	var ofCall *os.SyscallError
	var ofProgram *exec.Error
	var number syscall.Errno
	return errors.As(err, &bad) || errors.As(err, &ofPath) || errors.As(err, &ofLink) || errors.As(err, &ofCall) ||
		errors.As(err, &ofProgram) || errors.As(err, &number)
}

const (
	identityFile   = "identity.json"
	stateFile      = "state.json"
	deploymentFile = "deployment.json"
)

// Identity is a machine's own Ed25519 key, and the fingerprint by which it is accepted.
type Identity struct {
	PublicKey   string
	Fingerprint string
	Key         ed25519.PrivateKey
}

type identityJSON struct {
	Version    int    `json:"version"`
	PublicKey  string `json:"publicKey"`
	PrivateKey string `json:"privateKey"`
}

var raw = base64.RawURLEncoding

// In gives the identity in this folder, made now when there is none. The error is Unusable, naming the file, when it
// cannot be read: a new key would be a new machine.
func In(f folder.Folder) (Identity, error) {
	stored, err := Of(f)
	if err != nil || stored != nil {
		return value(stored), err
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Identity{}, err
	}
	text, err := jsonLine(identityJSON{1, raw.EncodeToString(public), raw.EncodeToString(private.Seed())})
	if err != nil {
		return Identity{}, err
	}
	if err := f.Write(identityFile, text); err != nil {
		return Identity{}, err
	}
	return identityOf(private), nil
}

func value(stored *Identity) Identity {
	if stored == nil {
		return Identity{}
	}
	return *stored
}

// Of gives the identity in this folder; nil when there is none.
func Of(f folder.Folder) (*Identity, error) {
	text, found, err := f.Read(identityFile)
	if err != nil || !found {
		return nil, err
	}
	var stored identityJSON
	if Strictly(text, &stored) == nil && stored.Version == 1 {
		seed, err := raw.DecodeString(stored.PrivateKey)
		if err == nil && len(seed) == ed25519.SeedSize {
			one := identityOf(ed25519.NewKeyFromSeed(seed))
			if one.PublicKey == stored.PublicKey {
				return &one, nil
			}
		}
	}
	why := "%s/%s is damaged; put it back from a backup, or remove it to become a new machine"
	return nil, Unusable{fmt.Sprintf(why, f.Path, identityFile)}
}

func identityOf(key ed25519.PrivateKey) Identity {
	public := key.Public().(ed25519.PublicKey)
	return Identity{raw.EncodeToString(public), hexDigest(public), key}
}

func hexDigest(of []byte) string {
	digest := sha256.Sum256(of)
	return hex.EncodeToString(digest[:])
}

// RecordIn gives the record of an earlier daemon. A file that cannot be read counts as none, since Muster knows the
// machine's place.
func RecordIn(f folder.Folder) (decide.Record, error) {
	none := decide.Record{Phase: decide.Unheard}
	text, found, err := f.Read(stateFile)
	if err != nil || !found {
		return none, err
	}
	var record decide.Record
	if Strictly(text, &record) != nil || !isRecord(record) {
		return none, nil
	}
	return record, nil
}

// RecordText gives a record as it is stored.
func RecordText(record decide.Record) (string, error) { return jsonLine(record) }

// Keep stores the text of a record for the next daemon.
func Keep(f folder.Folder, text string) error { return f.Write(stateFile, text) }

func isRecord(r decide.Record) bool {
	switch r.Phase {
	case decide.Unheard, decide.New, decide.Orphan, decide.Told, decide.Onboarded, decide.Deleted:
	default:
		return false
	}
	if _, ok := names.Fqdn(r.Driven); r.Driven != "" && !ok {
		return false
	}
	if r.Died != nil && (r.Died.Times < 1 || !isMoment(r.Died.At)) {
		return false
	}
	if r.Place == nil {
		return true
	}
	_, ok := names.Fqdn(r.Place.Fqdn)
	w := r.Place.Watch
	return ok && (w == nil || (w.Port >= 1 && w.Port <= 65_535 && w.EveryMs >= 1 && isMoment(w.EveryMs)))
}

// isMoment tells whether a number is a whole one that the model takes for a moment (lib/core/time.ts).
func isMoment(at float64) bool { return at >= 0 && at <= 8_640_000_000_000_000 && at == math.Trunc(at) }

// SignedFor is the deployment that knocks are signed for, as far as it is known, and by how many ms its clock is ahead.
type SignedFor struct {
	Deployment   string
	ClockAheadMs float64
}

type signedForJSON struct {
	Endpoint     string  `json:"endpoint"`
	Deployment   string  `json:"deployment,omitempty"`
	ClockAheadMs float64 `json:"clockAheadMs"`
}

// SignedForIn gives what was learned at this endpoint. It is learned anew when the file cannot be read, or is of another
// endpoint: that may be another deployment.
func SignedForIn(f folder.Folder, endpoint string) (SignedFor, error) {
	text, found, err := f.Read(deploymentFile)
	if err != nil || !found {
		return SignedFor{}, err
	}
	var stored signedForJSON
	if Strictly(text, &stored) != nil || stored.Endpoint != endpoint {
		return SignedFor{}, nil
	}
	return SignedFor{stored.Deployment, stored.ClockAheadMs}, nil
}

// KeepSignedFor stores what a refusal has revealed about the deployment.
func KeepSignedFor(f folder.Folder, endpoint string, known SignedFor) error {
	text, err := jsonLine(signedForJSON{endpoint, known.Deployment, known.ClockAheadMs})
	if err != nil {
		return err
	}
	return f.Write(deploymentFile, text)
}

// Strictly reads a text in JSON that has exactly the fields of the value, by their very names, and nothing behind it.
// (Go's own reader takes fields of any case, and leaves those that are missing as they are.)
func Strictly(text string, into any) error {
	var given, kept any
	if err := errors.Join(json.Unmarshal([]byte(text), &given), json.Unmarshal([]byte(text), into)); err != nil {
		return err
	}
	again, err := json.Marshal(into)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(again, &kept); err != nil {
		return err
	}
	if !reflect.DeepEqual(given, kept) {
		return errors.New("there are other fields than there should be")
	}
	return nil
}

// jsonLine gives a value as the model writes it: one line, with no letter escaped that need not be.
func jsonLine(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return out.String(), nil
}
