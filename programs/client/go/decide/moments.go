package decide

import "math"

// Moment is a time in milliseconds since 1970. It is a float64, as in the model (a number of JavaScript), so that both
// give the same digits; a span of time is one too.
type Moment = float64

// Spans of time, in milliseconds.
const (
	SecondMs = 1_000.0
	MinuteMs = 60 * SecondMs
	HourMs   = 60 * MinuteMs
)

const (
	backoffMaxMs   = MinuteMs
	backoffFirstMs = SecondMs
	// Chance may give zero ten times in a row, and without a minimum the caller would be a busy loop.
	backoffMinMs = 100.0
)

// backoffMs is how long to wait before something is tried again: full jitter over a window that doubles with every
// failure. A wait that Muster asked for is observed, with up to a tenth on top. Failures count from 1.
//
// Products are rounded by an explicit conversion before they are added to something: processors that multiply and add
// in one step would give other digits than the model.
func backoffMs(failures int, random, retryAfterMs float64) float64 {
	windowMs := math.Min(backoffMaxMs, backoffFirstMs*math.Pow(2, math.Min(float64(failures), 10)))
	asked := float64(retryAfterMs * (1 + random/10))
	return round(math.Max(math.Max(backoffMinMs, float64(windowMs*random)), asked))
}

// round rounds a half up, as Math.round of JavaScript does; math.Round rounds it away from zero.
func round(x float64) float64 {
	floor := math.Floor(x)
	if x-floor >= 0.5 {
		return floor + 1
	}
	return floor
}

func clamp(x, low, high float64) float64 { return math.Min(high, math.Max(low, x)) }

// earlier gives the earlier of two moments; an absent one counts as never.
func earlier(a, b *Moment) *Moment {
	if a == nil || (b != nil && *b <= *a) {
		return b
	}
	return a
}
