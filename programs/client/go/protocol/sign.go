package protocol

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"muster/client/identity"
)

// The one profile of HTTP Message Signatures (RFC 9421) that Muster accepts: lib/identity/signature.ts.
const (
	covered        = `("@method" "@path" "@query" "content-digest")`
	signatureLifeS = 60
	// A machine that does not know its deployment yet signs for this one; the refusal gives it the right name.
	unmet      = "unknown"
	nonceBytes = 18
)

var (
	// Any other text would write more into the signature than its tag.
	deploymentForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	clockForm      = regexp.MustCompile(`^\d{1,15}$`)
)

// sign adds the three headers of a signed call, made with a machine's key for a deployment at a moment of its clock.
func sign(request *http.Request, body []byte, who identity.Identity, known identity.SignedFor, now time.Time) {
	deployment := known.Deployment
	if deployment == "" {
		deployment = unmet
	}
	digest := sha256.Sum256(body)
	contentDigest := "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"
	created := int64(math.Floor((float64(now.UnixMilli()) + known.ClockAheadMs) / 1000))
	params := fmt.Sprintf(`%s;created=%d;expires=%d;nonce="%s";keyid="%s";alg="ed25519";tag="muster-%s"`,
		covered, created, created+signatureLifeS, Random(nonceBytes), who.Fingerprint, deployment)
	base := fmt.Sprintf("\"@method\": %s\n\"@path\": %s\n\"@query\": ?%s\n\"content-digest\": %s\n\"@signature-params\": %s",
		request.Method, request.URL.EscapedPath(), request.URL.RawQuery, contentDigest, params)
	signature := base64.StdEncoding.EncodeToString(ed25519.Sign(who.Key, []byte(base)))
	request.Header.Set("content-digest", contentDigest)
	request.Header.Set("signature-input", "muster="+params)
	request.Header.Set("signature", "muster=:"+signature+":")
}

// learnedFrom gives what a refusal reveals of the deployment, and whether it was not known. The name is learned once, the
// clock whenever it differs.
func learnedFrom(headers http.Header, known identity.SignedFor, now time.Time) (identity.SignedFor, bool) {
	learned := known
	if named := headers.Get("muster-deployment"); known.Deployment == "" && deploymentForm.MatchString(named) {
		learned.Deployment = named
	}
	if at := headers.Get("muster-time"); clockForm.MatchString(at) {
		if ms, err := strconv.ParseFloat(at, 64); err == nil {
			learned.ClockAheadMs = ms - float64(now.UnixMilli())
		}
	}
	return learned, learned != known
}

// Random gives a text of so many unguessable bytes, in base64url.
func Random(bytes int) string {
	nonce := make([]byte, bytes)
	rand.Read(nonce) // It never fails: crypto/rand ends the program instead.
	return base64.RawURLEncoding.EncodeToString(nonce)
}
