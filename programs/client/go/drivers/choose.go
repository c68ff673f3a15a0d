package drivers

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"muster/client/folder"
	"muster/client/identity"
	"muster/client/machine"
)

// Given is what the options tell of the driver; empty where they do not.
type Given struct {
	Drive, Driver, Root, Systemctl, CaCertificate string
	DryRun                                        bool
}

// Driven is what is driven: a command (Line), services of a Kind, or nothing.
type Driven struct {
	Line string
	Kind *Kind
	Root Root
}

// IsNothing tells whether the machine only has a place.
func (d Driven) IsNothing() bool { return d.Kind == nil && d.Line == "" }

// By gives what these options drive; "auto" looks for installed software. The error, in words for the operator, tells
// that the options do not fit together, or that nothing or several things are installed.
func By(given Given) (Driven, error) {
	if given.Driver == "command" || given.Driver == "" {
		if given.Driver != "" && given.Drive == "" {
			return Driven{}, identity.Unusable{Why: "--driver command needs --drive <command>"}
		}
		return Driven{Line: given.Drive}, nil
	}
	if given.Drive != "" {
		return Driven{}, identity.Unusable{Why: fmt.Sprintf("--drive is a command, and --driver is %s: give one of them", given.Driver)}
	}
	path := given.Root
	if path == "" {
		path = "/"
	}
	if path != "/" && given.Systemctl == "" {
		why := "--root %s needs --systemctl <program>: systemctl drives the services of this machine, not of that root"
		return Driven{}, identity.Unusable{Why: fmt.Sprintf(why, path)}
	}
	kind, err := kindBy(given, Root{path})
	return Driven{Kind: kind, Root: Root{path}}, err
}

func kindBy(given Given, root Root) (*Kind, error) {
	var names []string
	var installed []Kind
	for _, kind := range kinds(given.CaCertificate) {
		if kind.Name == given.Driver {
			return &kind, nil
		}
		if len(kind.units(root)) > 0 {
			names = append(names, kind.Name)
			installed = append(installed, kind)
		}
	}
	switch len(installed) {
	case 1:
		return &installed[0], nil
	case 0:
		why := "nothing that --driver auto knows is installed in %s: salt-minion, venv-salt-minion, the traditional client"
		return nil, identity.Unusable{Why: fmt.Sprintf(why, root.Path)}
	default:
		why := strings.Join(names, " and ") + " are installed: choose one with --driver, or remove the others"
		return nil, identity.Unusable{Why: why}
	}
}

// How long a driver may take before it is killed and counts as failed. At worst, bringing a minion up downloads packages.
const driverLimit = 10 * time.Minute

// Driver brings the software that reports to a node up for it, and stops it; either may run again after it has
// succeeded. It runs one thing at a time.
type Driver struct {
	running  sync.Mutex
	driven   Driven
	services *serviceDriver
	dryRun   bool
	say      func(line string)
}

// For gives the driver of what is driven. With a dry run it logs the steps that it would take, does nothing, and fails,
// so that nothing is confirmed.
func For(driven Driven, given Given, f folder.Folder, say func(line string)) *Driver {
	driver := &Driver{driven: driven, dryRun: given.DryRun, say: say}
	if driven.Kind != nil {
		program := given.Systemctl
		if program == "" {
			program = "systemctl"
		}
		driver.services = &serviceDriver{*driven.Kind, driven.Root, f, Services{program}, say}
	}
	return driver
}

// Idle returns once no run of the driver is under way, and lets none begin after it.
func (d *Driver) Idle() { d.running.Lock() }

// Start brings the software up for a node. An error, here and below, is none of the machine: the daemon ends by it.
func (d *Driver) Start(fqdn string) (machine.Ran, error) {
	return d.once(fqdn, func() (machine.Ran, error) { return d.services.Start(fqdn) }, "start", fqdn)
}

// Stop stops the software.
func (d *Driver) Stop() (machine.Ran, error) {
	return d.once("", func() (machine.Ran, error) { return d.services.Stop() }, "stop")
}

// once does one thing at a time: to the services, or by the command line with these words.
func (d *Driver) once(fqdn string, byServices func() (machine.Ran, error), words ...string) (machine.Ran, error) {
	d.running.Lock()
	defer d.running.Unlock()
	switch {
	case d.dryRun:
		return d.tell(fqdn)
	case d.services != nil:
		return byServices()
	case d.driven.Line != "":
		return machine.RunLine(d.driven.Line, words, driverLimit), nil
	default:
		return machine.Ran{}, nil
	}
}

// Looks tells whether the driver can see if what it has started is up.
func (d *Driver) Looks() bool { return d.services != nil && !d.dryRun }

// IsUp tells whether what was started is still up, and why not, if that can be seen.
func (d *Driver) IsUp() (seen bool, ran machine.Ran, err error) { return d.services.IsUp() }

// Found undoes an earlier daemon's run that was cut off, and gives the node for which something runs here.
func (d *Driver) Found() (name string, runs bool, err error) {
	if d.services == nil || d.dryRun {
		return "", false, nil
	}
	ran, err := d.services.Recover()
	if err != nil {
		return "", false, err
	}
	if !ran.Ok() {
		d.say(ran.Why + "; the driver will try again")
	}
	return d.services.RunsFor()
}

// tell logs what a run would do.
func (d *Driver) tell(fqdn string) (machine.Ran, error) {
	lines, err := d.wouldDo(fqdn)
	var unusable identity.Unusable
	if errors.As(err, &unusable) {
		lines = []string{unusable.Why}
	} else if err != nil {
		return machine.Ran{}, err
	}
	if len(lines) == 0 {
		lines = []string{"nothing"}
	}
	for _, line := range lines {
		d.say("dry run, would do: " + line)
	}
	return machine.Ran{Why: "a dry run does nothing"}, nil
}

func (d *Driver) wouldDo(fqdn string) ([]string, error) {
	switch {
	case d.services != nil:
		return d.services.WouldDo(fqdn)
	case d.driven.Line == "":
		return nil, nil
	case fqdn == "":
		return []string{"run " + d.driven.Line + " stop"}, nil
	default:
		return []string{"run " + d.driven.Line + " start " + fqdn}, nil
	}
}
