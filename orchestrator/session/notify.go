package session

import (
	"os"

	"autobuild/internal/call"
	"autobuild/internal/notify"
	"autobuild/render"
)

// openNotifier makes the session's notifier at its first call; nil where the settings name no way.
func (s *session) openNotifier() *notify.Notifier {
	c := s.project.Config.Notify
	if s.notifier != nil || c == nil || !c.Any() {
		return s.notifier
	}
	host, _ := os.Hostname() // unknown: left out
	n, missing := notify.New(notify.Config{
		Settings: *c,
		Base:     notify.Notice{Run: s.config.RunID, Plan: s.name, Title: s.plan.Title, Dir: s.project.Root, Host: host},
		Environ:  s.Environ, Getenv: s.Environ.Get, Secrets: call.Secrets(s.Environ), Kill: s.runner.Kill, Found: s.LookPath,
		Resume: func() string { return render.Command(s.ending().Resume) },
		Note:   s.Note, Agent: "autobuild/" + call.Version(), Now: s.Now,
	})
	s.notifier = n
	s.begin.Notices = append(s.begin.Notices, missing...)
	return n
}
