package decide

// Action is something that a daemon does: one of the types below.
type Action interface{ action() }

// Knock introduces the machine. Confirmed is the node that works, or empty; Lost: the node does not answer.
type Knock struct {
	Confirmed string
	Lost      bool
}

// Ask is a call for the status, or for a node. LostMs is for how long the node has not answered; nil if it does.
type Ask struct {
	Call   Call
	Token  string
	LostMs *float64
}

// Probe opens a connection to the watch address of a node.
type Probe struct {
	Fqdn  string
	Watch Watch
}

// Start brings the driven software up for a node.
type Start struct{ Fqdn string }

// Stop stops the driven software.
type Stop struct{}

// Look sees whether what was started for a node is still up.
type Look struct{ Fqdn string }

// Say is a line for the log.
type Say struct{ Line string }

// End ends the daemon.
type End struct{}

func (Knock) action() {}
func (Ask) action()   {}
func (Probe) action() {}
func (Start) action() {}
func (Stop) action()  {}
func (Look) action()  {}
func (Say) action()   {}
func (End) action()   {}
