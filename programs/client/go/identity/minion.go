package identity

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"regexp"
	"strings"

	"muster/client/machine"
)

// MinionProof is a knock's proof of the minion beside the daemon: its id, its public key in PEM, and its key's signature
// over the daemon's fingerprint.
type MinionProof struct {
	ID        string `json:"id"`
	PublicKey string `json:"publicKey"`
	Proof     string `json:"proof"`
}

// MinionKey is the minion's key on this machine. Fingerprint is as "salt-key -f" shows it, OfText as that of Salt 3008.
type MinionKey struct {
	PublicKey   string
	Fingerprint string
	OfText      string
	signer      crypto.Signer
}

// MinionKeyIn gives the minion's key in a file such as Salt's minion.pem; nil when the file cannot be read, and an error
// of type Unusable when it holds no key. The public half is the text of the file beside it, because Salt computes the
// fingerprint over those very lines.
func MinionKeyIn(file string) (*MinionKey, error) {
	text := machine.OrNothing(file)
	if text == "" {
		return nil, nil
	}
	signer, err := privateKeyIn(text)
	if err != nil {
		return nil, Unusable{file + " holds no private key in PEM: " + err.Error()}
	}
	der, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return nil, Unusable{file + " holds no private key in PEM: " + err.Error()}
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	beside := machine.OrNothing(strings.TrimSuffix(file, ".pem") + ".pub")
	if isHalfOf(signer, beside) {
		public = beside + "\n"
	}
	return &MinionKey{public, linesFingerprint(public), textFingerprint(public), signer}, nil
}

// Prove gives the minion's proof for a knock of the daemon with this fingerprint. RSA keys sign with SHA-256
// (RSASSA-PKCS1-v1_5), Ed25519 keys with the hash of their own scheme.
func (k MinionKey) Prove(id, daemon string) (MinionProof, error) {
	statement := []byte("muster-minion:" + daemon)
	var options crypto.SignerOpts = crypto.Hash(0)
	if _, ok := k.signer.(*rsa.PrivateKey); ok {
		digest := sha256.Sum256(statement)
		statement, options = digest[:], crypto.SHA256
	}
	signature, err := k.signer.Sign(rand.Reader, statement, options)
	return MinionProof{id, k.PublicKey, base64.StdEncoding.EncodeToString(signature)}, err
}

func privateKeyIn(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("no block was found")
	}
	if block.Type == "RSA PRIVATE KEY" {
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	switch signer := key.(type) {
	case *rsa.PrivateKey:
		return signer, nil
	case ed25519.PrivateKey:
		return signer, nil
	default:
		return nil, errors.New("it is neither an RSA nor an Ed25519 key")
	}
}

func isHalfOf(signer crypto.Signer, text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	var public any
	var err error
	if block.Type == "RSA PUBLIC KEY" {
		public, err = x509.ParsePKCS1PublicKey(block.Bytes)
	} else {
		public, err = x509.ParsePKIXPublicKey(block.Bytes)
	}
	own, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	return err == nil && ok && own.Equal(public)
}

var lineEnd = regexp.MustCompile(`\r?\n`)

// linesFingerprint is SHA-256 over the lines between the marks, each with its newline.
func linesFingerprint(text string) string {
	var lines []string
	for _, line := range lineEnd.Split(text, -1) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) < 3 {
		return hexDigest(nil)
	}
	return hexDigest([]byte(strings.Join(lines[1:len(lines)-1], "\n") + "\n"))
}

// textFingerprint is SHA-256 over the whole text as minions send it: without a newline at its end.
func textFingerprint(text string) string {
	return hexDigest([]byte(lineEnd.ReplaceAllString(strings.TrimSpace(text), "\n")))
}
