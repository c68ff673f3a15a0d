// Package names knows the forms of what Muster and its machines exchange as text: names of hosts, addresses, secrets.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	labels    = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	reserved  = regexp.MustCompile(`^(n[0-9a-f]{16}|localhost|muster)$`)
	allDigits = regexp.MustCompile(`^\d+$`)
	ofNobody  = regexp.MustCompile(`^(localhost\d*|ip6-localhost|ip6-loopback)(\.|$)|\.localhost$`)
	watchForm = regexp.MustCompile(`^[A-Za-z0-9.-]{1,253}:\d{1,5}$`)
	ipv4Like  = regexp.MustCompile(`^[\d.]+$`)
	zoneForm  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	tagForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$`)
)

// Fqdn gives a host's own name in lower case (RFC 1123, 2.1), and whether it is one: labels of letters, digits and inner
// hyphens, the last of which is not all digits. The id of a node, localhost and muster have another meaning.
func Fqdn(text string) (string, bool) {
	name := strings.ToLower(text)
	last := name[strings.LastIndexByte(name, '.')+1:]
	return name, len(name) <= 253 && labels.MatchString(name) && !reserved.MatchString(name) && !allDigits.MatchString(last)
}

// IsNoName tells whether a name names no machine, such as localhost.localdomain.
func IsNoName(fqdn string) bool { return ofNobody.MatchString(fqdn) }

// IsZone tells whether a text can be the name of a zone.
func IsZone(text string) bool { return zoneForm.MatchString(text) }

// IsTag tells whether a text can be a tag.
func IsTag(text string) bool { return tagForm.MatchString(text) }

// WatchAddress gives the parts of host:port, and whether it is one.
func WatchAddress(text string) (host string, port int, ok bool) {
	if len(text) > 259 || !watchForm.MatchString(text) {
		return "", 0, false
	}
	colon := strings.LastIndexByte(text, ':')
	host = text[:colon]
	port, err := strconv.Atoi(text[colon+1:])
	if err != nil || port > 65_535 {
		return "", 0, false
	}
	if ipv4Like.MatchString(host) {
		if _, err := netip.ParseAddr(host); err != nil {
			return "", 0, false
		}
	}
	return host, port, true
}

// ShowFingerprint gives a fingerprint as an administrator compares it: hex pairs with colons.
func ShowFingerprint(fp string) string {
	var pairs []string
	for ; len(fp) > 2; fp = fp[2:] {
		pairs = append(pairs, fp[:2])
	}
	return strings.Join(append(pairs, fp), ":")
}

// Printable gives a text that is harmless to a terminal: each character that does not print becomes its code.
func Printable(text string) string {
	var out strings.Builder
	for _, char := range text {
		if unicode.In(char, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			fmt.Fprintf(&out, `\u{%x}`, char)
		} else {
			out.WriteRune(char)
		}
	}
	return out.String()
}

var secretForm = regexp.MustCompile(`^mot_([0-9a-z]{12})_([A-Za-z0-9_-]{43})_([0-9a-f]{6})$`)

// FaultOfToken tells why a text is no onboarding token; empty for one that may be. Whether Muster made it, only Muster
// knows.
func FaultOfToken(text string) string {
	if !secretForm.MatchString(text) {
		return "the given text is no onboarding token: those begin with mot_"
	}
	cut := strings.LastIndexByte(text, '_')
	digest := sha256.Sum256([]byte(text[:cut]))
	if hex.EncodeToString(digest[:])[:6] != text[cut+1:] {
		return "the onboarding token has a wrong or missing character"
	}
	return ""
}

// IsEndpoint tells whether a text is an address of a deployment: of http or https, with nothing behind its path, and no
// user name or password in it.
func IsEndpoint(text string) bool {
	at, ok := address(text)
	return ok && at.User == nil && at.RawQuery == "" && at.Fragment == ""
}

func address(text string) (*url.URL, bool) {
	at, err := url.Parse(text)
	return at, err == nil && (at.Scheme == "http" || at.Scheme == "https") && at.Hostname() != ""
}

var loopback = regexp.MustCompile(`(?i)^(127(\.\d{1,3}){3}|localhost|::1)$`)

func isLoopback(text string) bool {
	at, ok := address(text)
	return ok && loopback.MatchString(at.Hostname())
}

var beforeAt = regexp.MustCompile(`(?s).*@`)

// FaultOfEndpoint tells why a machine does not call Muster at this address; empty if it does. Calls are signed, but
// answers are not, and tokens can be read: an attacker on the way could join in this machine's place.
func FaultOfEndpoint(endpoint string, insecure bool) string {
	if !IsEndpoint(endpoint) {
		// The part before an @ may be a password: it is not repeated.
		return beforeAt.ReplaceAllString(endpoint, "…@") + " is not an address of a deployment: give one such as https://muster.example.org"
	}
	if insecure || strings.HasPrefix(strings.ToLower(endpoint), "https:") || isLoopback(endpoint) {
		return ""
	}
	return endpoint + " does not use https, so an attacker on the way could answer in its place: give an https address, or --insecure if the network is yours alone"
}

// A function's own address on AWS, which only AWS hands out and answers.
var functionURL = regexp.MustCompile(`^[a-z0-9]+\.lambda-url\.[a-z0-9-]+\.on\.(aws|amazonwebservices\.com\.cn)$`)

// NamedOrigin gives the origin of another address that Muster names, and whether a machine that calls Muster at endpoint
// may call it: a function of AWS by https, or any on this machine if Muster is on it.
func NamedOrigin(endpoint, named string) (string, bool) {
	at, ok := address(named)
	if !ok || at.User != nil {
		return "", false
	}
	isFunction := at.Scheme == "https" && at.Port() == "" && functionURL.MatchString(at.Hostname())
	return at.Scheme + "://" + at.Host, isFunction || (isLoopback(endpoint) && isLoopback(named))
}

// IsAddress tells whether a text is an address of http or https.
func IsAddress(text string) bool {
	_, ok := address(text)
	return ok
}

// HasPassword tells whether an address carries a user name or a password: addresses are printed and logged.
func HasPassword(text string) bool {
	at, ok := address(text)
	return ok && at.User != nil
}
