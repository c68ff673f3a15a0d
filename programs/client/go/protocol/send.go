package protocol

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"muster/client/identity"
	"muster/client/names"
)

const (
	// How long one call may take.
	callLimit = 30 * time.Second
	// How much of an answer is read. A server that sends more is not Muster, and must not fill the machine's memory. The
	// longest answer of the protocol is the name of a node; a refusal has some hundred bytes.
	answerMaxBytes = 1 << 20
	// How much the headers of an answer may have: what Node takes by default (https://nodejs.org/api/http.html).
	headersMaxBytes = 16 << 10
	// How long the address for status checks may take to answer before the call goes the usual way, and how long calls
	// go the usual way after it did not.
	directLimit = 3 * time.Second
	directPause = 10 * time.Minute
)

// Client calls one deployment for one machine. Its knocks are signed; its other calls carry the token of a knock.
type Client struct {
	// Endpoint is the address of the deployment.
	Endpoint string
	Identity identity.Identity
	Say      func(line string)
	// Learn stores what a refusal has revealed of the deployment; an error of it ends the daemon.
	Learn func(identity.SignedFor) error

	http  *http.Client
	root  string
	mutex sync.Mutex
	known identity.SignedFor
	// direct is the address that the deployment named for status checks, used from directAfter on.
	direct      string
	directAfter time.Time
}

// Open makes a client ready, with what an earlier daemon has learned of the deployment.
func (c *Client) Open(known identity.SignedFor) {
	c.root = strings.TrimRight(c.Endpoint, "/")
	c.known = known
	c.http = &http.Client{
		// No proxy, no redirect: tokens and signatures are for the deployment that was named. A call an hour needs no
		// connection between calls.
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: callLimit}).DialContext,
			DisableKeepAlives:   true,
			DisableCompression:  true,
			TLSHandshakeTimeout: callLimit,
			// As in the model.
			MaxResponseHeaderBytes: headersMaxBytes,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is an answer with its whole body.
type answer struct {
	status  int
	headers http.Header
	text    string
}

func (a answer) isOk() bool { return a.status >= 200 && a.status < 300 }

// isMuster tells whether an answer is Muster's: a success, or a refusal as problem+json. A gateway in front of a function
// words its own refusals differently.
func (a answer) isMuster() bool {
	return a.isOk() || strings.HasPrefix(a.headers.Get("content-type"), "application/problem+json")
}

// unreachable is a call without an answer, or with one that is not Muster's.
type unreachable struct{ why string }

func (u unreachable) Error() string { return u.why }

// send makes one call. The body of a knock is signed, once more if the refusal says for which deployment, or by which
// clock.
func (c *Client) send(ctx context.Context, method, path string, headers map[string]string, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if method == http.MethodGet {
		return c.sendDirectly(ctx, method, path, headers)
	}
	got, err := c.sendSigned(ctx, method, path, headers, body)
	if err != nil || got.status != http.StatusUnauthorized {
		return got, err
	}
	learned, isNew := learnedFrom(got.headers, c.known, time.Now())
	if !isNew {
		return got, nil
	}
	c.known = learned
	if err := c.Learn(learned); err != nil {
		return got, err
	}
	return c.sendSigned(ctx, method, path, headers, body)
}

func (c *Client) sendSigned(ctx context.Context, method, path string, headers map[string]string, body []byte) (answer, error) {
	request, err := newRequest(ctx, method, c.root+path, headers, body)
	if err != nil {
		return answer{}, err
	}
	sign(request, body, c.Identity, c.known, time.Now())
	return c.usual(request)
}

// usual sends a call to the endpoint, and learns the address for status checks that its answer may name.
func (c *Client) usual(request *http.Request) (answer, error) {
	got, err := c.do(request)
	if err != nil || !got.isMuster() {
		return got, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.direct = ""
	if origin, may := names.NamedOrigin(c.Endpoint, got.headers.Get("muster-direct")); may {
		c.direct = origin
	}
	return got, nil
}

// sendDirectly sends a status check to the address that the deployment named last. Every other call goes to the endpoint,
// and so does a status check that the address does not answer as Muster does.
func (c *Client) sendDirectly(ctx context.Context, method, path string, headers map[string]string) (answer, error) {
	origin, may := c.directNow(path)
	if may {
		got, why := c.sendTo(ctx, origin+path, method, headers)
		if why == "" {
			return got, nil
		}
		if err := ctx.Err(); err != nil {
			return answer{}, unreachable{fmt.Sprintf("%s %s: %s", method, c.root+path, reasonOf(err))}
		}
		c.pauseDirect()
		c.Say(fmt.Sprintf("%s does not answer (%s); calls go the usual way for ten minutes", origin, why))
	}
	request, err := newRequest(ctx, method, c.root+path, headers, nil)
	if err != nil {
		return answer{}, err
	}
	return c.usual(request)
}

func (c *Client) directNow(path string) (string, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	isStatus := strings.HasPrefix(path, statusPath+"?")
	return c.direct, isStatus && c.direct != "" && !time.Now().Before(c.directAfter)
}

func (c *Client) pauseDirect() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.directAfter = time.Now().Add(directPause)
}

// sendTo gives the answer of an address, or the reason why there is none of Muster's.
func (c *Client) sendTo(ctx context.Context, to, method string, headers map[string]string) (answer, string) {
	limited, cancel := context.WithTimeout(ctx, directLimit)
	defer cancel()
	request, err := newRequest(limited, method, to, headers, nil)
	if err != nil {
		return answer{}, err.Error()
	}
	got, err := c.do(request)
	if err != nil {
		return answer{}, reasonOf(err)
	}
	if !got.isMuster() {
		return answer{}, fmt.Sprintf("status %d", got.status)
	}
	return got, ""
}

func newRequest(ctx context.Context, method, to string, headers map[string]string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, unreachable{fmt.Sprintf("%s %s: %s", method, to, err)}
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	if body != nil {
		request.Header.Set("content-type", "application/json")
	}
	return request, nil
}

// do gives the answer to a request, with its whole body: it may also be cut off after its head.
func (c *Client) do(request *http.Request) (answer, error) {
	at := request.Method + " " + request.URL.String()
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, unreachable{at + ": " + reasonOf(err)}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerMaxBytes+1))
	if err != nil {
		return answer{}, unreachable{at + ": " + reasonOf(err)}
	}
	if len(text) > answerMaxBytes {
		return answer{}, unreachable{fmt.Sprintf("%s: the answer has more than %d B", at, answerMaxBytes)}
	}
	return answer{response.StatusCode, response.Header, string(text)}, nil
}

// reasonOf gives the cause of an error of the network, without the call that it says before it.
func reasonOf(err error) string {
	var without unreachable
	if errors.As(err, &without) {
		if _, why, found := strings.Cut(without.why, ": "); found {
			return why
		}
		return without.why
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "there was no answer in time"
	}
	return err.Error()
}
