package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const hasBwrap = true

// The versions of the kernel's interface from which on more can be stopped.
const (
	abiRefer    = 2 // Linux 5.19: files may move between directories that may both be written
	abiTruncate = 3 // Linux 6.2: truncate(2)
	abiScopes   = 6 // Linux 6.12: signals to processes outside
)

// The rights below a writable directory, and on a single writable file. No confined program may
// make devices: root could reach a disk through one.
const (
	ofFile landlock.AccessFSSet = ll.AccessFSWriteFile | ll.AccessFSTruncate
	ofDir  landlock.AccessFSSet = ofFile | ll.AccessFSRefer | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile |
		ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym
	devices landlock.AccessFSSet = ll.AccessFSMakeChar | ll.AccessFSMakeBlock
	// reading a file; directories can always be listed
	reading landlock.AccessFSSet = ll.AccessFSReadFile
)

// limits are what a kernel of this version can stop: every way to write, nothing of the network.
func limits(abi int) landlock.Config {
	c := landlock.Config{HandledAccessFS: ofDir | devices}
	if abi < abiRefer {
		// forbidden altogether, and nothing that could be asked for
		c.HandledAccessFS &^= ll.AccessFSRefer
	}
	if abi < abiTruncate {
		c.HandledAccessFS &^= ll.AccessFSTruncate
	}
	if abi >= abiScopes {
		c.Scoped = ll.ScopeSignal
	}
	return c
}

// gaps are what a kernel of this version lets through, or forbids too much of.
func gaps(abi int) string {
	switch {
	case abi < abiRefer:
		return "; this kernel neither stops truncating and signals, nor allows to move files " +
			"between directories"
	case abi < abiTruncate:
		return "; this kernel stops neither truncating nor signals"
	case abi < abiScopes:
		return "; this kernel does not stop signals to other processes"
	}
	return ""
}

func lookLandlock() Finding {
	f := Finding{Means: Landlock}
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		f.Err = &ImpossibleError{
			Landlock, "it is switched off in this kernel",
			"boot with landlock among lsm=, or use bwrap",
		}
	case err != nil || abi < 1:
		f.Err = &ImpossibleError{
			Landlock,
			"this kernel, or what confines this process, does not have it",
			"use Linux 5.13 or newer, or bwrap",
		}
	default:
		f.Rename = abi >= abiRefer
		f.Words = fmt.Sprintf("version %d of the kernel's interface%s", abi, gaps(abi))
	}
	return f
}

// landlockCommand runs this very program, even if its file has been replaced since, with arguments
// that make it confine itself and become the other one.
func landlockCommand(program string, argv []string, r Rights) ([]string, error) {
	rights, err := json.Marshal(Rights{
		Write: outermost(append(existing(devicesOfAll), r.Write...)), Hide: r.Hide, Show: r.Show,
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return append([]string{"/proc/self/exe", stageWord, string(rights), program}, argv...), nil
}

// Enter confines this process as its arguments say and makes it the program that they name; it
// returns only with an error. It fails closed: a program that cannot be confined is not started.
func Enter(args, environ []string) error {
	var r Rights
	if len(args) < 5 || json.Unmarshal([]byte(args[2]), &r) != nil {
		return errBroken
	}
	program, argv := args[3], args[4:]
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return fmt.Errorf("sandbox: landlock: %w; %s was not started", err, program)
	}
	c := limits(abi)
	writing := c.HandledAccessFS
	var rules []landlock.Rule
	allow := func(places []string, rights landlock.AccessFSSet) {
		for _, p := range places {
			info, gone := os.Stat(p)
			switch {
			case gone != nil: // and a rule ignores what goes later: nothing to allow
			case info.IsDir():
				rules = append(rules, landlock.PathAccess(rights, p).IgnoreIfMissing())
			default:
				rules = append(rules, landlock.PathAccess(rights&(ofFile|reading), p).IgnoreIfMissing())
			}
		}
	}
	if seen, unseen := around(r.Hide); r.Hide != "" && unseen == nil {
		c.HandledAccessFS |= reading
		allow(append(seen, r.Show...), reading)
	}
	allow(r.Write, (ofDir&writing)|(c.HandledAccessFS&reading))
	if err = c.Restrict(rules...); err != nil {
		return fmt.Errorf("sandbox: landlock: %w; %s was not started", err, program)
	}
	runtime.LockOSThread() // the one that becomes the program
	defer runtime.UnlockOSThread()
	if err = giveUpSpying(); err != nil {
		return fmt.Errorf("sandbox: %w; %s was not started", err, program)
	}
	return fmt.Errorf("start %s: %w", program, unix.Exec(program, argv, environ))
}
