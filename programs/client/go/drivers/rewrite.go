package drivers

import (
	"net/url"
	"regexp"
	"strings"
)

// One line, without its end: its key, its value, and what follows the value (blanks, a comment).
var (
	masterLine  = regexp.MustCompile(`^(master:)([ \t]*)((?s:.*?))([ \t]*(?:[ \t]#(?s:.*))?)$`)
	serverLine  = regexp.MustCompile(`^(serverURL[ \t]*=[ \t]*)((?s:.*?))([ \t]*)$`)
	certificate = regexp.MustCompile(`^(sslCACert[ \t]*=[ \t]*)((?s:.*?))([ \t]*)$`)
	lineForm    = regexp.MustCompile(`[^\r\n]+|[\r\n]`)
	quoted      = regexp.MustCompile(`^"((?s:.*))"$|^'((?s:.*))'$`)
)

// pieces gives the lines of a text and, each by itself, the characters that end them. Texts are bytes, so that nothing
// else in them changes.
func pieces(text string) []string { return lineForm.FindAllString(text, -1) }

// valuesOf gives the values of all lines of this form.
func valuesOf(text string, form *regexp.Regexp, group int) []string {
	var values []string
	for _, line := range pieces(text) {
		if found := form.FindStringSubmatch(line); found != nil {
			values = append(values, found[group])
		}
	}
	return values
}

// replaced gives the text with each line of this form made anew from its parts.
func replaced(text string, form *regexp.Regexp, anew func(parts []string) string) string {
	var out strings.Builder
	for _, line := range pieces(text) {
		if parts := form.FindStringSubmatch(line); parts != nil {
			line = anew(parts)
		}
		out.WriteString(line)
	}
	return out.String()
}

// rewritten is a configuration that names another node, or the fault why that is impossible.
type rewritten struct{ text, fault string }

// withMaster gives a minion's configuration with another master. Every "master:" line gets the name and keeps its
// comment; everything else stays byte for byte. A file without such a line gets one at its end. A list of masters is
// refused, because it does not say which of them the node replaces. Without a text it is a new file.
func withMaster(text *string, fqdn string) rewritten {
	if text == nil {
		return rewritten{text: "master: " + fqdn + "\n"}
	}
	values := valuesOf(*text, masterLine, 3)
	for _, value := range values {
		if value == "" || strings.ContainsRune("[|>#&*", rune(value[0])) {
			return rewritten{fault: "its master is a list, or is on another line than its key: write one line, “master: NAME”"}
		}
	}
	if len(values) > 0 {
		return rewritten{text: replaced(*text, masterLine, func(p []string) string {
			blank := p[2]
			if blank == "" {
				blank = " "
			}
			return p[1] + blank + fqdn + p[4]
		})}
	}
	newline := "\n"
	if strings.Contains(*text, "\r\n") {
		newline = "\r\n"
	}
	before := *text
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += newline
	}
	return rewritten{text: before + "master: " + fqdn + newline}
}

// masterIn gives the master that a minion's configuration names; empty when it names none, or not just one.
func masterIn(text string) string {
	name := ""
	for n, value := range valuesOf(text, masterLine, 3) {
		if inner := quoted.FindStringSubmatch(value); inner != nil {
			value = inner[1] + inner[2]
		}
		if n > 0 && value != name {
			return ""
		}
		name = value
	}
	return name
}

func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// withServer gives the traditional client's up2date with another server. The host in serverURL changes; scheme, port and
// path stay; several addresses (failover) become one. The file of a certificate replaces sslCACert where it is given.
func withServer(text *string, fqdn, file string) rewritten {
	if text == nil {
		return rewritten{fault: "there is no such file: this machine was never a traditional client"}
	}
	at, err := addressIn(strings.Split(last(valuesOf(*text, serverLine, 2)), ";")[0])
	if err != nil || (at.Scheme != "http" && at.Scheme != "https") || at.Hostname() == "" {
		return rewritten{fault: "it has no line “serverURL=https://…”"}
	}
	moved := replaced(*text, serverLine, func(p []string) string { return p[1] + movedTo(*at, fqdn) + p[3] })
	if file == "" {
		return rewritten{text: moved}
	}
	if len(valuesOf(moved, certificate, 2)) == 0 {
		return rewritten{fault: "it has no line “sslCACert=…” for the certificate that was given"}
	}
	return rewritten{text: replaced(moved, certificate, func(p []string) string { return p[1] + file + p[3] })}
}

// addressIn reads an address as the model does: blanks around it and tabs in it do not count
// (https://url.spec.whatwg.org/#url-parsing).
func addressIn(value string) (*url.URL, error) {
	return url.Parse(strings.ReplaceAll(strings.TrimSpace(value), "\t", ""))
}

// movedTo gives an address with another host; the port of the scheme itself is left out, as URLs are written.
func movedTo(at url.URL, fqdn string) string {
	usual := map[string]string{"http": "80", "https": "443"}[at.Scheme]
	at.Host = fqdn + ":" + at.Port()
	if at.Port() == "" || at.Port() == usual {
		at.Host = fqdn
	}
	if at.Path == "" {
		at.Path = "/"
	}
	return at.String()
}

// serverIn gives the server that up2date names; empty when it names none, or several.
func serverIn(text string) string {
	value := last(valuesOf(text, serverLine, 2))
	at, err := addressIn(value)
	if err != nil || strings.Contains(value, ";") {
		return ""
	}
	return strings.ToLower(at.Hostname())
}

// certificateIn gives the CA certificate file that up2date names, by which the client trusts the server.
func certificateIn(text string) string { return last(valuesOf(text, certificate, 2)) }

// Rewrite gives the configuration of a kind ("salt-minion", "venv-salt-minion" or "traditional") with another node, or
// the fault why that is impossible. Text is the configuration, nil when there is none; the file of a certificate, if
// given, replaces the one that a traditional client trusts.
func Rewrite(kind string, text *string, fqdn, certificate string) (anew, fault string) {
	for _, one := range kinds(certificate) {
		if one.Name == kind {
			made := one.rewrite(text, fqdn)
			return made.text, made.fault
		}
	}
	return "", "there is no kind " + kind
}

// NodeIn gives the node that a configuration of a kind names; empty when it names none, or not just one.
func NodeIn(kind, text string) string {
	for _, one := range kinds("") {
		if one.Name == kind {
			return one.nodeIn(text)
		}
	}
	return ""
}
