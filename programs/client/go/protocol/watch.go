package protocol

import (
	"math"
	"net"
	"strconv"
	"time"

	"muster/client/decide"
)

// How long a node may take to accept a connection before the probe counts as a miss, in ms.
const connectLimitMs = 5 * decide.SecondMs

// IsHeard tells whether a watch address accepts a TCP connection, which is closed at once.
func IsHeard(watch decide.Watch) bool {
	limit := time.Duration(math.Min(connectLimitMs, watch.EveryMs)) * time.Millisecond
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(watch.Host, strconv.Itoa(watch.Port)), max(limit, time.Millisecond))
	if err != nil {
		return false
	}
	connection.Close()
	return true
}
