package drivers

import (
	"fmt"
	"os"
	"strings"
	"time"

	"muster/client/folder"
	"muster/client/identity"
	"muster/client/machine"
)

// How often a service is checked, how long it may take to come up, and how long it must stay up: one that cannot work
// ends within a second or two. keyLimit: how long to wait for the key of a minion that has none.
const (
	lookEvery  = time.Second
	lookLimit  = 2 * time.Minute
	lookSteady = 3 * time.Second
	keyLimit   = time.Minute
)

// serviceDriver drives software that reports to a node: its configuration, its caches and its services. It undoes a
// start that fails half-way. Folder is the daemon's own, for the journal.
type serviceDriver struct {
	kind     Kind
	root     Root
	folder   folder.Folder
	services Services
	say      func(line string)
}

// Start brings the software up for a node. An error, here and below, is none of the machine: the daemon ends by it.
func (d *serviceDriver) Start(fqdn string) (machine.Ran, error) { return ranOf(d.start(fqdn)) }

// Stop stops the software.
func (d *serviceDriver) Stop() (machine.Ran, error) { return ranOf(d.stop()) }

// Recover undoes a run that was cut off; it does nothing when there is none.
func (d *serviceDriver) Recover() (machine.Ran, error) { return ranOf(d.recover()) }

// ranOf gives a fault of the machine as a run that failed, and any other error as it is.
func ranOf(err error) (machine.Ran, error) {
	switch {
	case err == nil:
		return machine.Ran{}, nil
	case identity.IsOfMachine(err):
		return machine.Ran{Why: err.Error()}, nil
	default:
		return machine.Ran{}, err
	}
}

// IsUp tells whether what was started is still up, and why not. It is not seen when the service manager does not answer:
// that is no reason to start anything.
func (d *serviceDriver) IsUp() (seen bool, ran machine.Ran, err error) {
	on, err := d.look()
	if err != nil {
		_, err = ranOf(err)
		return false, machine.Ran{}, err
	}
	for _, one := range on.units {
		if one.state == inactive || one.state == failed {
			return true, machine.Ran{Why: one.unit + " is " + one.state}, nil
		}
	}
	return true, machine.Ran{}, nil
}

// RunsFor gives the configured name of the node that the machine reports to now, and whether anything runs.
func (d *serviceDriver) RunsFor() (name string, runs bool, err error) {
	on, err := d.look()
	if err != nil {
		return "", false, err
	}
	for _, one := range on.units {
		runs = runs || one.runs()
	}
	if runs && on.config != nil {
		name = d.kind.nodeIn(on.config.text)
	}
	return name, runs, nil
}

// WouldDo gives the steps that a start for this node would take, in words; without a node, those of a stop.
func (d *serviceDriver) WouldDo(fqdn string) ([]string, error) {
	var words []string
	pending, err := readJournal(d.folder)
	if err != nil {
		return nil, err
	}
	if pending != nil {
		words = append(words, "undo the changes of a run that was cut off")
	}
	on, err := d.look()
	if err != nil {
		return nil, err
	}
	steps := stepsToStop(on.units)
	if fqdn != "" {
		var fault string
		if steps, fault = stepsToStart(d.kind, on, fqdn, 0, 0); fault != "" {
			return nil, identity.Unusable{Why: d.kind.config + ": " + fault}
		}
	}
	for _, step := range steps {
		words = append(words, step.inWords())
	}
	return words, nil
}

func (d *serviceDriver) start(fqdn string) error {
	if err := d.recover(); err != nil {
		return err
	}
	on, err := d.look()
	if err != nil {
		return err
	}
	steps, fault := stepsToStart(d.kind, on, fqdn, os.Getuid(), os.Getgid())
	if fault != "" {
		return identity.Unusable{Why: d.kind.config + ": " + fault}
	}
	if len(steps) == 0 {
		d.say(d.kind.Name + " already works for " + fqdn)
		return nil
	}
	if err := d.refuseMissingFiles(steps); err != nil {
		return err
	}
	journal, err := journalOf(d.kind.Name, on.units, steps, d.root)
	if err != nil {
		return err
	}
	if err := journal.store(d.folder); err != nil {
		return err
	}
	if err := d.bringUp(steps, on.units); err != nil {
		d.say(err.Error() + "; undoing")
		if undoing := d.undo(*journal, true); undoing != nil {
			return undoing
		}
		return err
	}
	d.say(d.kind.Name + " works for " + fqdn)
	return d.folder.Remove(journalFile)
}

func (d *serviceDriver) bringUp(steps []step, units []unitState) error {
	if err := d.carryAll(steps); err != nil {
		return err
	}
	for _, one := range units {
		if err := d.untilSteady(one.unit); err != nil {
			return err
		}
	}
	if d.kind.Minion != nil {
		d.untilKeyed(d.kind.Minion.PublicKey)
	}
	return nil
}

func (d *serviceDriver) refuseMissingFiles(steps []step) error {
	for _, step := range steps {
		if step.do != "write" {
			continue
		}
		if file := d.kind.required(step.content.text); file != "" && !d.root.has(file) {
			return identity.Unusable{Why: d.kind.config + " needs " + file + ", which does not exist"}
		}
	}
	return nil
}

func (d *serviceDriver) stop() error {
	pending, err := readJournal(d.folder)
	if err != nil {
		return err
	}
	if pending != nil {
		// No resume: services that are about to be stopped are not brought up for a moment first.
		if err := d.undo(*pending, false); err != nil {
			return err
		}
	}
	on, err := d.look()
	if err != nil {
		return err
	}
	return d.carryAll(stepsToStop(on.units))
}

func (d *serviceDriver) recover() error {
	pending, err := readJournal(d.folder)
	if err != nil || pending == nil {
		return err
	}
	d.say("a run was cut off: undoing its changes")
	return d.undo(*pending, true)
}

func (d *serviceDriver) look() (found, error) {
	units := d.kind.units(d.root)
	if len(units) == 0 {
		return found{}, identity.Unusable{Why: d.kind.Name + " is not installed in " + d.root.Path}
	}
	on := found{}
	for _, unit := range units {
		state, err := d.services.state(unit)
		if err != nil {
			return found{}, err
		}
		on.units = append(on.units, unitState{unit, state})
	}
	config, err := d.root.read(d.kind.config)
	if err != nil {
		return found{}, err
	}
	on.config = config
	for _, file := range d.kind.caches {
		if d.root.has(file) {
			on.caches = append(on.caches, file)
		}
	}
	return on, nil
}

func (d *serviceDriver) carry(s step) error {
	d.say(s.inWords())
	switch s.do {
	case "write":
		return d.root.write(s.file, s.content)
	case "remove":
		return d.root.remove(s.file)
	default:
		return d.services.act(s.do, s.unit)
	}
}

func (d *serviceDriver) carryAll(steps []step) error {
	for _, step := range steps {
		if err := d.carry(step); err != nil {
			return err
		}
	}
	return nil
}

// untilSteady waits until a unit has been active for a while.
func (d *serviceDriver) untilSteady(unit string) error {
	activeFor := time.Duration(0)
	for waited := time.Duration(0); activeFor < lookSteady; waited += lookEvery {
		state, err := d.services.state(unit)
		if err != nil {
			return err
		}
		if state == failed || state == inactive {
			return identity.Unusable{Why: unit + " does not stay up: it is " + state}
		}
		if waited >= lookLimit {
			return identity.Unusable{Why: fmt.Sprintf("%s has not come up within %.0f s: it is %s", unit, lookLimit.Seconds(), state)}
		}
		time.Sleep(lookEvery)
		activeFor += lookEvery
		if state != active {
			activeFor = 0
		}
	}
	return nil
}

// untilKeyed waits until a minion has made its key, which the next knock names to Muster: without it the key would wait
// at the node, unknown, until the machine knocks again. A busy machine takes longer than a service must stay up.
func (d *serviceDriver) untilKeyed(file string) {
	for waited := time.Duration(0); !d.root.has(file); waited += lookEvery {
		if waited >= keyLimit {
			d.say("there is no " + file + ": the node cannot know the minion's key until this machine knocks again")
			return
		}
		time.Sleep(lookEvery)
	}
}

// undo restores files, and with resume also services. The journal is removed last, so that the next run tries again if a
// file cannot be restored.
func (d *serviceDriver) undo(j journal, resume bool) error {
	var units []unitState
	for _, one := range j.Units {
		state, err := d.services.state(one.Unit)
		if err != nil {
			return err
		}
		units = append(units, unitState{one.Unit, state})
	}
	if err := d.carryAll(stepsToStop(units)); err != nil {
		return err
	}
	others, err := j.restoreFiles(d.root)
	for _, file := range others {
		d.say(file + " was changed by another program meanwhile: left as it is")
	}
	if err != nil {
		return err
	}
	d.say("put back: " + putBack(j))
	for _, one := range j.Units {
		if resume && one.Ran {
			// If it does not come up, the next run must still be able to try what the machine needs.
			if err := d.carry(step{do: "start", unit: one.Unit}); err != nil {
				d.say(err.Error())
			}
		}
	}
	return d.folder.Remove(journalFile)
}

func putBack(j journal) string {
	var files []string
	for _, one := range j.Files {
		files = append(files, one.File)
	}
	if len(files) == 0 {
		return "no file had changed"
	}
	return strings.Join(files, ", ")
}
