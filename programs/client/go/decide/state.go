// Package decide is the pure part of the client daemon: what a machine does next, from what it knows and what happened.
// It follows programs/client/decide.ts and the files beside it, which are its model, step by step; the check
// "npm run check:client" drives both through the same random histories. Nothing here has a clock, a network or a file.
package decide

// Call is the name of a call that a daemon makes.
type Call string

// The calls.
const (
	CallKnock  Call = "knock"
	CallStatus Call = "status"
	CallOrphan Call = "orphan"
)

// Watch is the watch address of a node: the daemon opens a TCP connection to it every EveryMs.
type Watch struct {
	Host    string  `json:"host"`
	Port    int     `json:"port"`
	EveryMs float64 `json:"everyMs"`
}

// Place is the node that a machine was assigned.
type Place struct {
	Fqdn  string `json:"fqdn"`
	Watch *Watch `json:"watch,omitempty"`
}

// Phase is the status of a machine as its daemon knows it.
type Phase string

// The phases. Unheard: Muster has not answered yet. New: the machine is not accepted yet. Orphan: it has no node. Told:
// it has a node, and the driven software is being brought up for it. Onboarded: Muster has confirmed that. Deleted: it is
// banned for ever.
const (
	Unheard   Phase = "unheard"
	New       Phase = "new"
	Orphan    Phase = "orphan"
	Told      Phase = "told"
	Onboarded Phase = "onboarded"
	Deleted   Phase = "deleted"
)

// Died tells that the driven software ended by itself: how often since it last stayed up for a while, when last, and in
// what state its service was found.
type Died struct {
	Times int    `json:"times"`
	At    Moment `json:"at"`
	Why   string `json:"why"`
}

// Record is what the daemon stores with every change and reads at the next start. Driven is the node that the driver
// was last started for. An empty text stands for none.
type Record struct {
	Phase  Phase  `json:"phase"`
	Token  string `json:"token,omitempty"`
	Place  *Place `json:"place,omitempty"`
	Driven string `json:"driven,omitempty"`
	Died   *Died  `json:"died,omitempty"`
}

// DriveIs is the state of the driver.
type DriveIs string

// The states of the driver. Unsure: a run failed, or the daemon has just started and does not know. Found: something
// runs that this daemon has not started; it is left alone until Muster has accepted or banned the machine.
const (
	Off      DriveIs = "off"
	Found    DriveIs = "found"
	Starting DriveIs = "starting"
	Stopping DriveIs = "stopping"
	On       DriveIs = "on"
	Unsure   DriveIs = "unsure"
)

// Drive is the state of the driver, and its node. Since belongs to On; Failed ("start", "stop" or empty) and NotBefore
// to Unsure: a failed run is not repeated before that, and the opposite may run at once.
type Drive struct {
	Is        DriveIs
	Fqdn      string
	Failures  int
	Since     Moment
	Failed    string
	NotBefore Moment
}

// NextCall is the next call, and its time.
type NextCall struct {
	Name Call
	At   Moment
}

// Calling is the call that is under way. Again: a knock was requested meanwhile.
type Calling struct {
	Name  Call
	Again bool
}

// Looking is a thing that is looked at again and again: when next, how often it failed in a row, whether it is under way.
type Looking struct {
	At       Moment
	Misses   int
	Checking bool
}

// State is the whole state of a daemon, from which it decides what to do next. It is a value: what its pointers lead to
// is replaced, never changed.
type State struct {
	Phase Phase
	Token string
	Place *Place
	Drive Drive
	// LostAt is since when the node is lost, that is, did not answer twice in a row; nil while it is not.
	LostAt  *Moment
	Call    NextCall
	Calling *Calling
	// PassedOver counts the times in a row that it was not this machine's turn; Failures the calls that failed in a row.
	PassedOver int
	Failures   int
	Watching   Looking
	// Look is the next look whether the driven software is still up; nil where the driver cannot tell.
	Look  *Looking
	Died  *Died
	Ended bool
	// WakeAt is when the daemon wants its next tick; nil for never.
	WakeAt *Moment
}

// First gives the state of a daemon that starts: it continues where it was, and knocks. Found is the node for which
// something runs here already, or empty; looks tells whether the driver can see if what it has started is up.
func First(record Record, now Moment, found string, looks bool) State {
	state := State{
		Phase:    record.Phase,
		Token:    record.Token,
		Drive:    firstDrive(record.Driven, found, now),
		Call:     NextCall{CallKnock, now},
		Watching: Looking{At: now},
		WakeAt:   &now,
	}
	if record.Phase == Told || record.Phase == Onboarded {
		state.Place = record.Place
	}
	// A new deployment may not have the ban. The daemon finds out by knocking, and drives nothing until then.
	if record.Phase == Deleted {
		state.Phase = Unheard
	}
	if looks {
		state.Look = &Looking{At: now}
	}
	return state
}

func firstDrive(driven, found string, now Moment) Drive {
	switch {
	case driven != "":
		return Drive{Is: Unsure, Fqdn: driven, NotBefore: now}
	case found != "":
		return Drive{Is: Found, Fqdn: found}
	default:
		return Drive{Is: Off}
	}
}

// RecordOf gives the part of a state that is stored.
func RecordOf(s State) Record {
	record := Record{Phase: s.Phase, Token: s.Token, Place: s.Place, Died: s.Died}
	if s.Drive.Is != Off && s.Drive.Is != Found {
		record.Driven = s.Drive.Fqdn
	}
	return record
}
