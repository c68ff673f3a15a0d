// Package machine runs programs of the machine for the daemon, and tells what the machine is.
package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Ran tells how a program ended: Why is empty when it succeeded.
type Ran struct{ Why string }

// Ok tells whether the program succeeded.
func (r Ran) Ok() bool { return r.Why == "" }

// RunLine runs a command line of the operator's with further arguments, which the shell does not interpret. Its output
// goes to our standard error. It is killed after the limit, with all that it has started.
func RunLine(line string, given []string, limit time.Duration) Ran {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := group(ctx, "/bin/sh", append([]string{"-c", line + ` "$@"`, "sh"}, given...)...)
	// No pipe: a daemon that the command starts, such as a minion, would keep it open, and the command would never end.
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return ended(cmd.Run())
}

// outputsDelay is how long the outputs of a program that has ended may stay open: what it started may hold them for ever.
const outputsDelay = 5 * time.Second

// outputMaxBytes is how much is kept of what a program prints.
const outputMaxBytes = 64 * 1024

// Output runs a program and gives the beginning of what it prints on each of its outputs. It is killed after the limit,
// with all that it has started; what it leaves behind may hold its outputs open for as long.
func Output(file string, args []string, limit time.Duration) (ran Ran, text, errors string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := group(ctx, file, args...)
	out, err := &kept{}, &kept{}
	cmd.Stdout, cmd.Stderr = out, err
	cmd.WaitDelay = outputsDelay
	ran = ended(cmd.Run())
	return ran, out.text(), err.text()
}

// group is a program in a process group of its own, which is killed as a whole.
func group(ctx context.Context, file string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

func ended(err error) Ran {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return Ran{}
	case !errors.As(err, &exit):
		return Ran{err.Error()}
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Ran{"it was ended by " + signalName(status.Signal())}
	}
	return Ran{fmt.Sprintf("exit code %d", exit.ExitCode())}
}

func signalName(signal syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGKILL: "SIGKILL", syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT", syscall.SIGHUP: "SIGHUP",
		syscall.SIGSEGV: "SIGSEGV", syscall.SIGABRT: "SIGABRT", syscall.SIGPIPE: "SIGPIPE", syscall.SIGBUS: "SIGBUS",
	}
	if name, ok := names[signal]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", int(signal))
}

// kept is the beginning of what is written to it.
type kept struct{ builder strings.Builder }

func (k *kept) Write(part []byte) (int, error) {
	if room := outputMaxBytes - k.builder.Len(); room > 0 {
		k.builder.Write(part[:min(room, len(part))])
	}
	return len(part), nil
}

func (k *kept) text() string { return strings.ToValidUTF8(k.builder.String(), "\uFFFD") }
