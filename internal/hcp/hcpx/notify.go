package hcpx

import (
	"context"
	"os"
	"time"

	"bridle/internal/hcp/approval"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/proc"
)

// notifyProgram shows a notice on the desktops of Linux. It is taken from where
// the system has it and from nowhere else.
const notifyProgram = "/usr/bin/notify-send"

// sessionVariables are how the program finds the desktop.
var sessionVariables = [...]string{"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"}

// notifier returns what tells the desktop about a request, where there is a
// desktop to tell. A notice says that something waits and answers nothing; one
// that cannot be shown is no failure.
func notifier(c *cli.Call) func(ctx context.Context, r *approval.Record) {
	none := func(context.Context, *approval.Record) {}
	if c.Env.Get("DISPLAY") == "" && c.Env.Get("WAYLAND_DISPLAY") == "" {
		return none
	}
	if info, err := os.Stat(notifyProgram); err != nil || !info.Mode().IsRegular() {
		return none
	}
	var env []string
	for _, name := range sessionVariables {
		if value, set := c.Env.Lookup(name); set {
			env = append(env, name+"="+value)
		}
	}
	return func(ctx context.Context, r *approval.Record) {
		_, _ = proc.Run(ctx, proc.Spec{
			Path: notifyProgram, Args: notice(r), Env: env, Dir: "/", Timeout: 3 * time.Second,
		})
	}
}

// notice are the words of a notification: plain text that names the request.
func notice(r *approval.Record) []string {
	return []string{"--app-name=" + Name, "--urgency=normal", "--", "A command waits for your answer", plainMarkup(headline(r))}
}

// plainMarkup keeps a desktop from reading a text as markup.
func plainMarkup(text string) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		switch r {
		case '<', '>', '&':
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}
