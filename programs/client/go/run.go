package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"muster/client/daemon"
	"muster/client/drivers"
	"muster/client/folder"
	"muster/client/identity"
	"muster/client/machine"
	"muster/client/names"
	"muster/client/options"
	"muster/client/protocol"
)

const (
	// Of a boot id: enough that no two starts of all daemons have the same by chance.
	bootBytes = 9
	// A daemon at rest has some megabytes in use; the runtime collects garbage rather than let it grow beyond this.
	memoryBytes = 8 << 20
	// Stands for a node without a valid name, such as Salt's own default; no machine has this name (RFC 6761, 6.4).
	nowhere = "nowhere.invalid"
)

// wrongUsage is a command line whose parts do not fit together: its message has no hint of the help.
type wrongUsage string

func (w wrongUsage) Error() string { return string(w) }

// drivenOf gives what the options drive.
func drivenOf(o options.Options) (drivers.Driven, error) {
	driven, err := drivers.By(o.Driver)
	if err != nil {
		return driven, wrongUsage(err.Error())
	}
	return driven, nil
}

// run is the daemon itself, until a signal or a ban ends it; it gives the exit code.
func run(o options.Options) (int, error) {
	// Garbage is collected after each call (package daemon) and near the limit. The runtime would also collect every two
	// minutes, and wake an idle machine for nothing.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryBytes)
	us, err := describe(o)
	if err != nil {
		return software, err
	}
	driven, err := drivenOf(o)
	if err != nil {
		return software, err
	}
	return holding(o, "another daemon uses %s; give each its own --home", func(home folder.Folder) (int, error) {
		return knock(o, us, driven, home)
	})
}

// holding does something while it holds the folder; where another program does, it says so in these words.
func holding(o options.Options, words string, does func(home folder.Folder) (int, error)) (int, error) {
	home := folder.Folder{Path: o.Home}
	release, err := home.Hold()
	if err != nil {
		return software, err
	}
	if release == nil {
		say(fmt.Sprintf(words, home.Path))
		return busy, nil
	}
	defer release()
	return does(home)
}

// knock is the daemon in a folder that it holds.
func knock(o options.Options, us protocol.Machine, driven drivers.Driven, home folder.Folder) (int, error) {
	own, err := identity.In(home)
	if err != nil {
		return software, err
	}
	if us.Minion, err = minionOf(o, driven, us.Fqdn, own.Fingerprint); err != nil {
		return software, err
	}
	if us.Token, err = tokenOf(o); err != nil {
		return software, err
	}
	say(us.Fqdn + " knocks at " + o.Endpoint + "; fingerprint " + names.ShowFingerprint(own.Fingerprint))
	driver := drivers.For(driven, o.Driver, home, say)
	code, err := untilEnded(o, us, own, home, driver)
	if err == nil {
		driver.Idle()
	}
	return code, err
}

// describe gives the machine as its daemon describes it.
func describe(o options.Options) (protocol.Machine, error) {
	us := protocol.Machine{Fqdn: o.Fqdn, ID: o.MachineID, Facts: machine.Facts(), Tags: o.Tags, Zone: o.Zone, Boot: protocol.Random(bootBytes)}
	for name, fact := range o.Facts {
		us.Facts[name] = fact
	}
	if us.Fqdn == "" {
		host, err := os.Hostname()
		if err != nil {
			return us, err
		}
		name, ok := names.Fqdn(host)
		if !ok {
			return us, wrongUsage("this host calls itself " + host + ", which is not fully qualified: give --fqdn <name>")
		}
		us.Fqdn = name
	}
	if names.IsNoName(us.Fqdn) {
		say(us.Fqdn + " names no machine, so an administrator must accept it by its fingerprint: set a host name, or give --fqdn")
	}
	if us.ID == "" {
		us.ID = machine.OrNothing("/etc/machine-id")
	}
	if us.ID == "" {
		return us, wrongUsage("there is no /etc/machine-id: give --machine-id <id>")
	}
	if fault := names.FaultOfEndpoint(o.Endpoint, o.Insecure); fault != "" {
		return us, wrongUsage(fault)
	}
	return us, nil
}

// tokenOf gives the onboarding token, as given. A text that is no token is reported here and sent all the same: it keeps
// no machine out, and Muster's row reports it, too.
func tokenOf(o options.Options) (string, error) {
	text := o.Token
	if o.TokenFile != "" {
		read, err := folder.ReadGiven(o.TokenFile)
		if err != nil {
			return "", err
		}
		text = strings.TrimSpace(read)
	}
	if text != "" {
		if fault := names.FaultOfToken(text); fault != "" {
			say(fault)
		}
	}
	return text, nil
}

// foundBy gives the node for which something runs here; empty if nothing does.
func foundBy(driver *drivers.Driver) (string, error) {
	name, runs, err := driver.Found()
	if err != nil || !runs {
		return "", err
	}
	if fqdn, ok := names.Fqdn(name); ok {
		return fqdn, nil
	}
	return nowhere, nil
}

func untilEnded(o options.Options, us protocol.Machine, own identity.Identity, home folder.Folder, driver *drivers.Driver) (int, error) {
	found, err := foundBy(driver)
	if err != nil {
		return software, err
	}
	record, err := identity.RecordIn(home)
	if err != nil {
		return software, err
	}
	known, err := identity.SignedForIn(home, o.Endpoint)
	if err != nil {
		return software, err
	}
	client := &protocol.Client{
		Endpoint: o.Endpoint, Identity: own, Say: say,
		Learn: func(known identity.SignedFor) error { return identity.KeepSignedFor(home, o.Endpoint, known) },
	}
	client.Open(known)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	knocks := make(chan struct{}, 1)
	knockUpon(syscall.SIGHUP, knocks)
	one := daemon.Daemon{Client: client, Machine: us, Driver: driver, Folder: home, Record: record, Found: found, Say: say}
	isBanned, err := one.Run(ctx, knocks)
	if isBanned {
		return unwanted, err
	}
	return done, err
}

// knockUpon asks for a knock at each signal; several at once ask for one.
func knockUpon(asked os.Signal, knocks chan<- struct{}) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, asked)
	go func() {
		for range signals {
			select {
			case knocks <- struct{}{}:
			default:
			}
		}
	}()
}
