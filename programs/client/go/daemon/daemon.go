// Package daemon is the shell around package decide: it has the clock, the timer and chance, carries the actions out, and
// gives their outcomes back as inputs. It follows programs/client/daemon.ts and lib/machine/reactor.ts.
package daemon

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"muster/client/decide"
	"muster/client/drivers"
	"muster/client/folder"
	"muster/client/identity"
	"muster/client/machine"
	"muster/client/protocol"
)

// Daemon is everything that a running daemon needs.
type Daemon struct {
	Client  *protocol.Client
	Machine protocol.Machine
	Driver  *drivers.Driver
	Folder  folder.Folder
	// Record is what an earlier daemon of this machine stored; Found is the node for which something runs here, or empty.
	Record decide.Record
	Found  string
	Say    func(line string)
}

// outcome is what an action brought, or an error of this machine that the daemon cannot go on with.
type outcome struct {
	input decide.Input
	err   error
}

// Run runs the daemon until the context is done, which leaves what it drives as it is, or the machine is banned and
// everything that it drove is stopped. Each signal of knocks asks for a knock now.
func (d *Daemon) Run(ctx context.Context, knocks <-chan struct{}) (isBanned bool, err error) {
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes := make(chan outcome, outcomesMax)
	state := decide.First(d.Record, now(), d.Found, d.Driver.Looks())
	written, err := identity.RecordText(d.Record)
	if err != nil {
		return false, err
	}
	timer := time.NewTimer(0)
	var next outcome
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case <-timer.C:
			next = outcome{input: decide.Tick{}}
		case <-knocks:
			next = outcome{input: decide.KnockNow{}}
		case next = <-outcomes:
		}
		if next.err != nil {
			return false, next.err
		}
		var actions []decide.Action
		state, actions = decide.Decide(state, next.input, now())
		// What has changed is stored before the daemon acts on it.
		if written, err = d.keep(decide.RecordOf(state), written); err != nil {
			return false, err
		}
		for _, action := range actions {
			if _, ends := action.(decide.End); ends {
				return true, nil
			}
			d.begin(calls, action, state.Phase, outcomes)
		}
		arm(timer, state.WakeAt)
	}
}

// keep stores a record unless its text is the one that was written last; it gives the text of the record.
func (d *Daemon) keep(record decide.Record, written string) (string, error) {
	text, err := identity.RecordText(record)
	if err != nil || text == written {
		return text, err
	}
	return text, identity.Keep(d.Folder, text)
}

// outcomesMax is more than a daemon ever has under way: a call, a probe, a run of the driver and a look.
const outcomesMax = 8

// timerMaxMs is the most that a timer of the model holds, in ms: a later moment is approached in steps. It is far less
// than the 292 years that a duration holds.
const timerMaxMs = 1<<31 - 1

func arm(timer *time.Timer, wakeAt *decide.Moment) {
	timer.Stop()
	if wakeAt == nil {
		return
	}
	timer.Reset(time.Duration(waitMs(*wakeAt, now()) * float64(time.Millisecond)))
}

// waitMs gives for how long the timer is set until a moment, in ms.
func waitMs(wakeAt, now decide.Moment) float64 { return min(timerMaxMs, max(0, wakeAt-now)) }

func now() decide.Moment { return decide.Moment(time.Now().UnixMilli()) }

// begin carries an action out beside the daemon; a line is written at once, so that lines keep their order.
func (d *Daemon) begin(ctx context.Context, action decide.Action, phase decide.Phase, outcomes chan<- outcome) {
	if line, ok := action.(decide.Say); ok {
		d.Say(line.Line)
		return
	}
	go func() {
		outcomes <- d.outcomeOf(ctx, action, phase)
		// A call takes some hundred kilobytes that are not needed again for minutes or hours.
		debug.FreeOSMemory()
	}()
}

// outcomeOf carries an action out. A panic is an error that ends the daemon: Go's own exit code for it means wrong usage.
func (d *Daemon) outcomeOf(ctx context.Context, action decide.Action, phase decide.Phase) (came outcome) {
	defer func() {
		if panicked := recover(); panicked != nil {
			came = outcome{err: machine.Fault(panicked)}
		}
	}()
	input, err := d.carry(ctx, action, phase)
	return outcome{input, err}
}

func (d *Daemon) carry(ctx context.Context, action decide.Action, phase decide.Phase) (decide.Input, error) {
	random := rand.Float64()
	switch a := action.(type) {
	case decide.Knock:
		return d.Client.Knock(ctx, d.Machine, a, phase == decide.Unheard || phase == decide.New, random)
	case decide.Ask:
		return d.Client.Ask(ctx, d.Machine, a, random)
	case decide.Start:
		ran, err := d.Driver.Start(a.Fqdn)
		return decide.Driven{Ok: ran.Ok(), Why: ran.Why, Random: random}, err
	case decide.Stop:
		ran, err := d.Driver.Stop()
		return decide.Driven{Ok: ran.Ok(), Why: ran.Why, Random: random}, err
	case decide.Look:
		seen, ran, err := d.Driver.IsUp()
		return decide.Looked{Fqdn: a.Fqdn, Seen: seen, Up: ran.Ok(), Why: ran.Why, Random: random}, err
	case decide.Probe:
		return decide.Watched{Fqdn: a.Fqdn, Ok: protocol.IsHeard(a.Watch), Random: random}, nil
	default:
		return decide.Tick{}, nil
	}
}
