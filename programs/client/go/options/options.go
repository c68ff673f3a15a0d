// Package options reads the command line of muster-client: the options, commands and refusals of
// programs/client/options.ts, with the same texts.
package options

import (
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"muster/client/drivers"
	"muster/client/names"
)

// Options are those of the command line, with the defaults; empty where nothing is given and there is no default.
type Options struct {
	Endpoint  string
	Insecure  bool
	Fqdn      string
	Home      string
	MachineID string
	MinionKey string
	MinionID  string
	Token     string
	TokenFile string
	Facts     map[string]string
	Tags      []string
	Zone      string
	JSON      bool
	Driver    drivers.Given
}

// Command is a whole command line: what to do ("run", "fingerprint", "status", "drive start" or "drive stop"), the node
// to start for, and the options.
type Command struct {
	Name    string
	Node    string
	Options Options
}

// Usage is a command line that is not one, in words for the operator.
type Usage struct{ Why string }

func (u Usage) Error() string { return u.Why }

// Help is a request for the text that the model prints as help.
type Help struct{ Text string }

func (h Help) Error() string { return h.Text }

// help holds the help of the model's commands; test/unit/programs/client/go-help.test.ts writes and compares it.
//
//go:embed help/*.txt
var help embed.FS

func helpOf(name string) string {
	text, err := help.ReadFile("help/" + strings.ReplaceAll(name, " ", "-") + ".txt")
	if err != nil {
		panic(err) // Every command has its file.
	}
	return string(text)
}

// option is one option: how it is written in messages, and what it does with its value.
type option struct {
	flag  string
	value string
	env   string
	set   func(o *Options, value string) (fault string)
}

func (o option) usage() string {
	if o.value == "" {
		return o.flag
	}
	return o.flag + " <" + o.value + ">"
}

func text(field func(*Options) *string) func(*Options, string) string {
	return func(o *Options, value string) string {
		*field(o) = value
		return ""
	}
}

var driverNames = []string{"auto", "salt-minion", "venv-salt-minion", "traditional", "command"}

var table = []option{
	{"--endpoint", "url", "MUSTER_ENDPOINT", setEndpoint},
	{"--insecure", "", "", func(o *Options, _ string) string { o.Insecure = true; return "" }},
	{"--fqdn", "name", "", setFqdn},
	{"--home", "dir", "", text(func(o *Options) *string { return &o.Home })},
	{"--drive", "command", "", text(func(o *Options) *string { return &o.Driver.Drive })},
	{"--driver", "driver", "", setDriver},
	{"--machine-id", "id", "", setMachineID},
	{"--minion-key", "file", "", text(func(o *Options) *string { return &o.MinionKey })},
	{"--minion-id", "id", "", setMinionID},
	{"--token", "token", "MUSTER_ONBOARDING_TOKEN", text(func(o *Options) *string { return &o.Token })},
	{"--token-file", "file", "", text(func(o *Options) *string { return &o.TokenFile })},
	{"--fact", "name=value", "", setFact},
	{"--tag", "tag", "", setTag},
	{"--zone", "zone", "", setZone},
	{"--dry-run", "", "", func(o *Options, _ string) string { o.Driver.DryRun = true; return "" }},
	{"--root", "dir", "", text(func(o *Options) *string { return &o.Driver.Root })},
	{"--systemctl", "program", "", text(func(o *Options) *string { return &o.Driver.Systemctl })},
	{"--ca-certificate", "file", "", text(func(o *Options) *string { return &o.Driver.CaCertificate })},
}

var jsonOption = option{"--json", "", "", func(o *Options, _ string) string { o.JSON = true; return "" }}

func setEndpoint(o *Options, value string) string {
	o.Endpoint = value
	switch {
	case names.HasPassword(value):
		return "an address without a user name or password."
	case !names.IsAddress(value):
		return "an address such as http://127.0.0.1:8080."
	default:
		return ""
	}
}

func setFqdn(o *Options, value string) string {
	name, ok := names.Fqdn(value)
	o.Fqdn = name
	return unless(ok, "the name of a host: labels of letters, digits and hyphens.")
}

func setDriver(o *Options, value string) string {
	o.Driver.Driver = value
	return unless(slices.Contains(driverNames, value), "Allowed choices are "+strings.Join(driverNames, ", ")+".")
}

func setMachineID(o *Options, value string) string {
	o.MachineID = value
	if value == "" {
		return "it is empty."
	}
	return unless(len([]rune(value)) <= 64, "at most 64 characters.")
}

func setMinionID(o *Options, value string) string {
	o.MinionID = value
	return unless(value != "" && len([]rune(value)) <= 255, "it has 1 to 255 characters.")
}

func setFact(o *Options, value string) string {
	name, fact, found := strings.Cut(value, "=")
	isName := name != "" && len([]rune(name)) <= 64 && !strings.ContainsAny(name, " \t\r\n\v\f")
	if !found || !isName || len([]rune(fact)) > 256 || strings.ContainsAny(fact, "\r\n") {
		return "a fact is name=value."
	}
	if o.Facts == nil {
		o.Facts = map[string]string{}
	}
	o.Facts[name] = fact
	return ""
}

func setTag(o *Options, value string) string {
	o.Tags = append(o.Tags, value)
	return unless(names.IsTag(value), "a tag is 1 to 64 letters, digits or ._:/- and begins with a letter or digit.")
}

func setZone(o *Options, value string) string {
	o.Zone = value
	return unless(names.IsZone(value), "a zone name is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter.")
}

func unless(ok bool, fault string) string {
	if ok {
		return ""
	}
	return fault
}

// Read reads a command line. The error is Usage, or Help where that was asked for.
func Read(args []string) (Command, error) {
	r := reader{given: map[string]bool{}, fromEnvironment: map[string]bool{}, command: Command{Name: "run"}}
	r.command.Options = Options{Endpoint: "http://127.0.0.1:8080", Home: ".muster-client"}
	if err := r.read(args); err != nil {
		return Command{}, err
	}
	if err := r.readEnvironment(); err != nil {
		return Command{}, err
	}
	if r.given["--token"] && r.given["--token-file"] {
		token := "option '--token <token>'"
		if r.fromEnvironment["--token"] {
			token = "environment variable 'MUSTER_ONBOARDING_TOKEN'"
		}
		return Command{}, Usage{token + " cannot be used with option '--token-file <file>'"}
	}
	return r.command, nil
}

// reader is a command line as it is read.
type reader struct {
	command  Command
	given    map[string]bool
	operands []string
	asksHelp bool
	// Those of the given options that the environment gave.
	fromEnvironment map[string]bool
}

func (r *reader) readEnvironment() error {
	for _, option := range table {
		// One that is set to an empty text is set.
		value, isSet := os.LookupEnv(option.env)
		if option.env == "" || !isSet || r.given[option.flag] {
			continue
		}
		r.given[option.flag] = true
		r.fromEnvironment[option.flag] = true
		if fault := option.set(&r.command.Options, value); fault != "" {
			return Usage{fmt.Sprintf("option '%s' value '%s' from env '%s' is invalid. %s", option.usage(), hidden(value), option.env, fault)}
		}
	}
	return nil
}

func (r *reader) read(args []string) error {
	for n := 0; n < len(args); n++ {
		arg := args[n]
		if arg == "--" {
			r.operands = append(r.operands, args[n+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			r.operands = append(r.operands, arg)
			continue
		}
		used, err := r.option(arg, args[n+1:])
		if err != nil {
			return err
		}
		n += used
	}
	return r.commandOf()
}

// option reads one option, and tells how many further arguments were its value.
func (r *reader) option(arg string, rest []string) (used int, err error) {
	if arg == "-h" || arg == "--help" {
		r.asksHelp = true
		return 0, nil
	}
	flag, value, hasValue := strings.Cut(arg, "=")
	found, ok := optionNamed(flag, r.operands)
	if !ok || (hasValue && found.value == "") {
		return 0, Usage{"unknown option '" + arg + "'" + suggestion(arg)}
	}
	if found.value != "" && !hasValue {
		if len(rest) == 0 {
			return 0, Usage{"option '" + found.usage() + "' argument missing"}
		}
		value, used = rest[0], 1
	}
	r.given[flag] = true
	if fault := found.set(&r.command.Options, value); fault != "" {
		return 0, Usage{fmt.Sprintf("option '%s' argument '%s' is invalid. %s", found.usage(), hidden(value), fault)}
	}
	return used, nil
}

func optionNamed(flag string, operands []string) (option, bool) {
	for _, one := range table {
		if one.flag == flag {
			return one, true
		}
	}
	return jsonOption, flag == jsonOption.flag && len(operands) > 0 && operands[0] == "status"
}

// hidden gives a value for a message: the part before an @ may be a password.
func hidden(value string) string {
	if at := strings.LastIndexByte(value, '@'); at >= 0 {
		return "…" + value[at:]
	}
	return value
}

// commandOf reads the operands: the command, and the node that it is for.
func (r *reader) commandOf() error {
	words := r.operands
	if len(words) > 0 && slices.Contains([]string{"fingerprint", "status", "drive"}, words[0]) {
		r.command.Name, words = words[0], words[1:]
	}
	if r.command.Name == "drive" {
		if len(words) == 0 {
			return r.onDriveAlone()
		}
		if words[0] != "start" && words[0] != "stop" {
			return Usage{"unknown command '" + words[0] + "'"}
		}
		r.command.Name, words = "drive "+words[0], words[1:]
	}
	if r.asksHelp {
		return Help{helpOf(r.command.Name)}
	}
	expects := 0
	if r.command.Name == "drive start" {
		expects = 1
	}
	if len(words) > expects {
		return Usage{tooMany(r.command.Name, expects, words)}
	}
	if len(words) < expects {
		return Usage{"missing required argument 'node'"}
	}
	if expects == 0 {
		return nil
	}
	node, ok := names.Fqdn(words[0])
	r.command.Node = node
	if !ok {
		return Usage{"command-argument value '" + hidden(words[0]) + "' is invalid for argument 'node'. the name of a host: labels of letters, digits and hyphens."}
	}
	return nil
}

func (r *reader) onDriveAlone() error {
	if r.asksHelp {
		return Help{helpOf("drive")}
	}
	return Usage{helpOf("drive")}
}

func tooMany(name string, expects int, words []string) string {
	of := ""
	if name != "run" {
		of = " for '" + name[strings.LastIndexByte(name, ' ')+1:] + "'"
	}
	plural := "s"
	if expects == 1 {
		plural = ""
	}
	return fmt.Sprintf("too many arguments%s. Expected %d argument%s but got %d: %s.", of, expects, plural, len(words), strings.Join(words, ", "))
}
