package decide

// Input is something that can happen to a daemon: one of the types below. Random is a number in [0, 1), drawn when it
// happened.
type Input interface{ input() }

// Tick is the passing of time.
type Tick struct{}

// KnockNow asks for a knock now: a signal, or the release hook of the machine's node.
type KnockNow struct{}

// Headers is what every answer of Muster may carry. Token is the one in it, or empty; Knock: the token that was sent is
// no longer valid; NextMs is the pause that Muster names, or nil.
type Headers struct {
	Token  string
	Knock  bool
	NextMs *float64
	Watch  *Watch
	Random float64
}

// Byte is Muster's answer to a knock or a status check: "0" to "3".
type Byte struct {
	Headers
	Call Call
	Byte string
}

// Assigned is Muster's answer that names the machine's node.
type Assigned struct {
	Headers
	Call Call
	Fqdn string
}

// NoPlace is Muster's answer that it is not this machine's turn.
type NoPlace struct {
	Headers
	Call Call
}

// Failed is a call without an answer, or a refusal. Unknown: Muster does not know this machine.
type Failed struct {
	Call         Call
	Why          string
	Unknown      bool
	RetryAfterMs float64
	Random       float64
}

// Driven is the outcome of a run of the driver. Why is the reason of a failure, or empty.
type Driven struct {
	Ok     bool
	Why    string
	Random float64
}

// Looked is the outcome of a look: what was started for this node is up, is not (and why), or could not be seen.
type Looked struct {
	Fqdn   string
	Seen   bool
	Up     bool
	Why    string
	Random float64
}

// Watched is the outcome of a probe of a node.
type Watched struct {
	Fqdn   string
	Ok     bool
	Random float64
}

func (Tick) input()     {}
func (KnockNow) input() {}
func (Byte) input()     {}
func (Assigned) input() {}
func (NoPlace) input()  {}
func (Failed) input()   {}
func (Driven) input()   {}
func (Looked) input()   {}
func (Watched) input()  {}
