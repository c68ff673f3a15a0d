package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"muster/client/decide"
	"muster/client/drivers"
	"muster/client/folder"
	"muster/client/identity"
	"muster/client/machine"
	"muster/client/names"
	"muster/client/options"
)

// fingerprint prints this machine's fingerprint, and its minion's; it makes a key when there is none.
func fingerprint(o options.Options) error {
	driven, err := drivenOf(o)
	if err != nil {
		return err
	}
	minion, err := identity.MinionKeyIn(keyFile(o, driven))
	if err != nil {
		return err
	}
	own, err := identity.In(folder.Folder{Path: o.Home})
	if err != nil {
		return err
	}
	fmt.Println(names.ShowFingerprint(own.Fingerprint))
	if minion != nil {
		fmt.Println("minion " + names.ShowFingerprint(minion.Fingerprint))
		fmt.Println("minion " + names.ShowFingerprint(minion.OfText) + " (salt-key of Salt 3008)")
	}
	return nil
}

// statusView is what a daemon stored, for people and programs; without the token, which is a secret.
type statusView struct {
	Fingerprint string       `json:"fingerprint,omitempty"`
	Runs        bool         `json:"runs"`
	Phase       decide.Phase `json:"phase"`
	Node        string       `json:"node,omitempty"`
	Driven      string       `json:"driven,omitempty"`
	Died        *diedView    `json:"died,omitempty"`
}

type diedView struct {
	Times int    `json:"times"`
	At    string `json:"at"`
	Why   string `json:"why"`
}

func status(o options.Options) error {
	home := folder.Folder{Path: o.Home}
	release, err := home.Hold()
	if err != nil {
		return err
	}
	if release != nil {
		defer release()
	}
	record, err := identity.RecordIn(home)
	if err != nil {
		return err
	}
	own, err := identity.Of(home)
	if err != nil {
		return err
	}
	view := statusView{Runs: release == nil, Phase: record.Phase, Driven: record.Driven}
	if own != nil {
		view.Fingerprint = names.ShowFingerprint(own.Fingerprint)
	}
	if record.Place != nil {
		view.Node = record.Place.Fqdn
	}
	if record.Died != nil {
		at := time.UnixMilli(int64(record.Died.At)).UTC().Format("2006-01-02T15:04:05.000Z")
		view.Died = &diedView{record.Died.Times, at, record.Died.Why}
	}
	if o.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetEscapeHTML(false)
		return unlessUnread(encoder.Encode(view))
	}
	view.print()
	return nil
}

// unlessUnread gives the error of writing to a reader, unless that has enough and is gone.
func unlessUnread(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// print prints the view in lines: a name and a value.
func (v statusView) print() {
	runs := "does not run"
	if v.Runs {
		runs = "runs"
	}
	row := func(name, value, without string) {
		if value == "" {
			value = without
		}
		fmt.Printf("%-12s %s\n", name, value)
	}
	row("fingerprint", v.Fingerprint, "none yet")
	row("daemon", runs, "")
	row("status", string(v.Phase), "")
	row("node", v.Node, "none")
	row("driven for", v.Driven, "nothing is driven")
	if v.Died == nil {
		return
	}
	times := "once"
	if v.Died.Times != 1 {
		times = fmt.Sprintf("%d times", v.Died.Times)
	}
	row("ended", fmt.Sprintf("by itself %s, last %s: %s; the daemon starts it again", times, v.Died.At, v.Died.Why), "")
}

// drive drives once by hand; without a node, it stops.
func drive(o options.Options, fqdn string) (int, error) {
	driven, err := drivenOf(o)
	if err != nil {
		return software, err
	}
	if driven.IsNothing() {
		return usage, wrongUsage("nothing is driven: give --driver or --drive")
	}
	return holding(o, "a running daemon uses %s: stop it before driving by hand", func(home folder.Folder) (int, error) {
		driver := drivers.For(driven, o.Driver, home, say)
		ran := driver.Stop
		if fqdn != "" {
			ran = func() (machine.Ran, error) { return driver.Start(fqdn) }
		}
		ended, err := ran()
		if err == nil && !ended.Ok() && !o.Driver.DryRun {
			err = identity.Unusable{Why: ended.Why}
		}
		if err != nil {
			return software, err
		}
		return done, nil
	})
}
