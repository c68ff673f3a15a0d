// Package protocol is how the daemon talks to Muster: the knock, the status check and the question for a node, with the
// headers of lib/clients/routes.ts.
package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"muster/client/decide"
	"muster/client/identity"
	"muster/client/names"
)

const (
	knockPath  = "/system/knock"
	statusPath = "/system/status"
	orphanPath = "/system/orphan"

	tokenHeader = "muster-token"
	bootHeader  = "muster-boot"
	lostHeader  = "muster-lost"

	// The longest that a server can make a program wait by retry-after.
	waitMaxMs = 2 * decide.HourMs
)

// Machine is the machine that knocks, as its daemon describes it.
type Machine struct {
	Fqdn, ID string
	Facts    map[string]string
	Tags     []string
	// Boot is this start of the daemon, at random and stored nowhere: a copied disk does not copy it.
	Boot string
	// Zone is the zone that it asks for, and Token an onboarding token; knocks carry both until it is accepted.
	Zone, Token string
	// Minion gives the minion beside the daemon, read at every knock because its key may appear, disappear or be replaced.
	Minion func() *identity.MinionProof
}

type knockBody struct {
	PublicKey     string                `json:"publicKey"`
	Fqdn          string                `json:"fqdn"`
	MachineID     string                `json:"machineId"`
	Facts         map[string]string     `json:"facts"`
	SuggestedTags []string              `json:"suggestedTags"`
	Boot          string                `json:"boot"`
	Minion        *identity.MinionProof `json:"minion,omitempty"`
	Zone          string                `json:"zone,omitempty"`
	Token         string                `json:"token,omitempty"`
	Confirmed     string                `json:"confirmed,omitempty"`
	Lost          bool                  `json:"lost,omitempty"`
}

// Knock makes a knock and gives its outcome. IsNew: this machine is not accepted yet, as far as it knows. An error is one
// of this machine, such as a full disk.
func (c *Client) Knock(ctx context.Context, m Machine, action decide.Knock, isNew bool, random float64) (decide.Input, error) {
	body := knockBody{
		PublicKey: c.Identity.PublicKey, Fqdn: m.Fqdn, MachineID: m.ID, Facts: maps.Clone(m.Facts),
		SuggestedTags: append([]string{}, m.Tags...), Boot: m.Boot, Minion: m.Minion(),
		Confirmed: action.Confirmed, Lost: action.Lost,
	}
	if isNew {
		body.Zone, body.Token = m.Zone, m.Token
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	got, err := c.send(ctx, http.MethodPost, knockPath, nil, bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	return c.outcome(decide.CallKnock, knockPath, got, err, random)
}

// Ask makes a status check, or asks for a node, and gives its outcome.
func (c *Client) Ask(ctx context.Context, m Machine, action decide.Ask, random float64) (decide.Input, error) {
	headers := map[string]string{bootHeader: m.Boot}
	if action.Token != "" {
		headers[tokenHeader] = action.Token
	}
	if action.LostMs != nil {
		headers[lostHeader] = strconv.FormatFloat(math.Max(1, math.Floor(*action.LostMs/decide.SecondMs+0.5)), 'f', 0, 64)
	}
	path := orphanPath
	if action.Call == decide.CallStatus {
		path = statusPath
	}
	path += "?fp=" + url.QueryEscape(c.Identity.Fingerprint)
	got, err := c.send(ctx, http.MethodGet, path, headers, nil)
	return c.outcome(action.Call, path, got, err, random)
}

// problem is a refusal (RFC 9457), as far as the daemon reads it.
type problem struct {
	Type     *string  `json:"type"`
	Title    *string  `json:"title"`
	Status   *float64 `json:"status"`
	Detail   *string  `json:"detail"`
	Instance *string  `json:"instance"`
}

func (p problem) isWhole() bool {
	return p.Type != nil && p.Title != nil && p.Status != nil && p.Detail != nil && p.Instance != nil
}

func (c *Client) outcome(call decide.Call, path string, got answer, err error, random float64) (decide.Input, error) {
	var without unreachable
	if errors.As(err, &without) {
		return decide.Failed{Call: call, Why: without.why, Random: random}, nil
	}
	if err != nil {
		return nil, err
	}
	if got.isOk() {
		if input := answered(call, got, random); input != nil {
			return input, nil
		}
	} else if refused := refusal(call, got, random); refused != nil {
		return *refused, nil
	}
	method := http.MethodGet
	if call == decide.CallKnock {
		method = http.MethodPost
	}
	why := fmt.Sprintf("%s %s answered %d, and not as Muster does", method, c.root+path, got.status)
	return decide.Failed{Call: call, Why: why, Random: random}, nil
}

// answered reads a success; nil when it is not one of Muster's.
func answered(call decide.Call, got answer, random float64) decide.Input {
	headers := headersOf(got.headers, random)
	if call != decide.CallOrphan {
		if len(got.text) != 1 || got.text < "0" || got.text > "3" {
			return nil
		}
		return decide.Byte{Headers: headers, Call: call, Byte: got.text}
	}
	if got.status == http.StatusNoContent {
		nextMs := retryAfterMs(got.headers)
		if nextMs == 0 && headers.NextMs != nil {
			nextMs = *headers.NextMs
		}
		headers.NextMs = &nextMs
		return decide.NoPlace{Headers: headers, Call: call}
	}
	fqdn, ok := names.Fqdn(got.text)
	if !ok {
		return nil
	}
	return decide.Assigned{Headers: headers, Call: call, Fqdn: fqdn}
}

// refusal reads a refusal; nil when it is not one of Muster's.
func refusal(call decide.Call, got answer, random float64) *decide.Failed {
	var read problem
	if json.Unmarshal([]byte(got.text), &read) != nil || !read.isWhole() {
		return nil
	}
	kind := (*read.Type)[strings.LastIndexByte(*read.Type, ':')+1:]
	why := fmt.Sprintf("%s was refused (%s): %s", call, kind, *read.Detail)
	if meaning := meanings[kind]; meaning != "" {
		why += "; " + meaning
	}
	// A route that answers only to a valid token refuses a call without one; a knock gets one.
	unknown := kind == "unknown-system" || (call != decide.CallKnock && kind == "signature-missing")
	return &decide.Failed{Call: call, Why: why, Unknown: unknown, RetryAfterMs: retryAfterMs(got.headers), Random: random}
}

// meanings are those of refusals on this machine, and what its operator can do about them.
var meanings = map[string]string{
	"signature-invalid": "the signature does not verify: this may be another Muster than the one in deployment.json; if that is intended, remove the file",
	"clock-skew":        "this machine's clock is more than five minutes off, and Muster's clock could not be learned",
	"key-in-use":        "this key belongs to a node; remove identity.json, and the machine makes a key of its own",
	"proof-invalid":     "the proof of the minion's key does not verify: check --minion-key",
	"unsupported-key":   "identity.json holds no usable key; remove the file, and the machine makes a new one",
	"weak-key":          "the key in identity.json can be guessed; remove the file, and the machine makes a new one",
	"onboarding-rate":   "too many new machines knock from the address of this one, or with its onboarding token; it tries again at the given time",
}

func headersOf(headers http.Header, random float64) decide.Headers {
	read := decide.Headers{
		Token:  headers.Get(tokenHeader),
		Knock:  headers.Get("muster-knock") == "1",
		Watch:  ParseWatch(headers.Get("muster-watch")),
		Random: random,
	}
	if seconds := number(headers.Get("muster-next")); seconds > 0 {
		nextMs := seconds * decide.SecondMs
		read.NextMs = &nextMs
	}
	return read
}

// retryAfterMs gives the wait that the header asks for; 0 when it is absent or a date.
func retryAfterMs(headers http.Header) float64 {
	if seconds := number(headers.Get("retry-after")); seconds > 0 {
		return math.Min(seconds*decide.SecondMs, waitMaxMs)
	}
	return 0
}

// numberForm is that of the numbers which the model reads and Go, too: Go has further ones, such as "inf".
var numberForm = regexp.MustCompile(`^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|Infinity)$`)

// number gives a number in a header, which may be infinite; 0 for a text that is none.
func number(text string) float64 {
	if !numberForm.MatchString(text) {
		return 0
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(value, 1) {
		return 0
	}
	return value
}

// How often a node may be probed, in seconds: no answer makes the daemon call more often than every second, or forget its
// node for more than a day.
const (
	everyMinS = 1
	everyMaxS = 86_400
)

// ParseWatch reads a watch address, "host:port;every=seconds"; nil when it cannot be parsed. The interval is one from a
// second to a day.
func ParseWatch(text string) *decide.Watch {
	parts := strings.Split(text, ";")
	host, port, ok := names.WatchAddress(strings.TrimSpace(parts[0]))
	everyS := 0.0
	for n := len(parts) - 1; n > 0; n-- {
		if every, found := strings.CutPrefix(strings.TrimSpace(parts[n]), "every="); found {
			everyS = number(every)
		}
	}
	if !ok || everyS <= 0 {
		return nil
	}
	clamped := math.Min(everyMaxS, math.Max(everyMinS, everyS))
	return &decide.Watch{Host: host, Port: port, EveryMs: math.Floor(clamped*decide.SecondMs + 0.5)}
}
