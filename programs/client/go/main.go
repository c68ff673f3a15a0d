// Command muster-client is the client daemon as a static binary: it knocks at Muster, learns this machine's node, and
// drives what reports there. Its model is programs/client/main.ts, with the same flags, files and exit codes; either
// takes over the folder of the other.
package main

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"muster/client/folder"
	"muster/client/identity"
	"muster/client/machine"
	"muster/client/names"
	"muster/client/options"
)

// Exit codes, after sysexits(3) where it has one.
const (
	done     = 0
	unwanted = 1
	usage    = 2
	software = 70
	unusable = 74
	busy     = 75
)

func main() { os.Exit(ran(os.Args[1:])) }

// ran gives the exit code of a command line; also of a panic, for which Go's own means wrong usage.
func ran(args []string) (code int) {
	defer func() {
		if panicked := recover(); panicked != nil {
			code = failed(machine.Fault(panicked))
		}
	}()
	// A reader that has enough closes the pipe, and the program goes on without it, as the model does. Not ignored: the
	// programs that are driven would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	command, err := options.Read(args)
	if err == nil {
		if code, err = does(command); err == nil {
			return code
		}
	}
	return failed(err)
}

func does(command options.Command) (int, error) {
	switch command.Name {
	case "fingerprint":
		return done, fingerprint(command.Options)
	case "status":
		return done, status(command.Options)
	case "drive start", "drive stop":
		return drive(command.Options, command.Node)
	default:
		return run(command.Options)
	}
}

// failed prints why the program cannot go on, and gives its exit code.
func failed(err error) int {
	var help options.Help
	var wrong options.Usage
	var unfit wrongUsage
	switch {
	case errors.As(err, &help):
		os.Stdout.WriteString(help.Text)
		return done
	case errors.As(err, &wrong) && strings.HasPrefix(wrong.Why, "Usage:"):
		os.Stderr.WriteString(wrong.Why)
		return usage
	case errors.As(err, &unfit):
		os.Stderr.WriteString("error: " + names.Printable(string(unfit)) + "\n(--help lists commands and options)\n")
		return usage
	case errors.As(err, &wrong):
		os.Stderr.WriteString("error: " + wrong.Why + "\n(--help lists commands and options)\n")
		return usage
	case isMendable(err):
		say(err.Error())
		return unusable
	default:
		say("Error: " + strings.Join(strings.Fields(err.Error()), " "))
		return software
	}
}

// isMendable tells whether an error is one of a file, a folder or the system, and none of the program.
func isMendable(err error) bool {
	var notOurs folder.NotOurs
	return errors.As(err, &notOurs) || identity.IsOfMachine(err)
}

func say(line string) { os.Stderr.WriteString("muster-client: " + names.Printable(line) + "\n") }
