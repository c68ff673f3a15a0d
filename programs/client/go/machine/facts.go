package machine

import (
	"bufio"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// OrNothing gives the trimmed text of a file; empty if it cannot be read.
func OrNothing(file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(content), "\uFFFD"))
}

// Facts gives what every daemon tells of its machine.
func Facts() map[string]string {
	kernel := OrNothing("/proc/sys/kernel/osrelease")
	facts := map[string]string{
		"os":     osName(OrNothing("/etc/os-release"), kernel),
		"kernel": kernel,
		"arch":   archName(runtime.GOARCH),
		"cpus":   strconv.Itoa(cpus()),
	}
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		facts["memoryMib"] = strconv.FormatUint(uint64(info.Totalram)*uint64(info.Unit)>>20, 10)
	}
	return facts
}

var prettyName = regexp.MustCompile(`(?m)^PRETTY_NAME="?([^"\n]+)"?$`)

// The operating system as its makers call it, at most 128 characters; the kernel's name and release if that is unknown.
func osName(release, kernel string) string {
	name := "Linux " + kernel
	if named := prettyName.FindStringSubmatch(release); named != nil {
		name = named[1]
	}
	if letters := []rune(name); len(letters) > 128 {
		return string(letters[:128])
	}
	return name
}

// The names of processors as Node has them, since facts are compared over a whole fleet.
func archName(goarch string) string {
	names := map[string]string{"amd64": "x64", "386": "ia32", "ppc64le": "ppc64", "mips64le": "mips64el"}
	if name, ok := names[goarch]; ok {
		return name
	}
	return goarch
}

// The processors of the machine; those that this process may use may be fewer.
func cpus() int {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.NumCPU()
	}
	defer file.Close()
	count := 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "processor") {
			count++
		}
	}
	if lines.Err() != nil {
		return runtime.NumCPU()
	}
	return max(count, 1)
}
