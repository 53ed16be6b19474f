package clock

import (
	"testing"
	"time"
)

func TestStampIsUTCWithMilliseconds(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 123_456_789, time.FixedZone("CET", 3600))
	if got := Stamp(at); got != "2026-11-30T11:00:00.123Z" {
		t.Fatalf("Stamp = %q", got)
	}
	if got := Fixed(at).Now(); got.Location() != time.UTC || !got.Equal(at) {
		t.Fatalf("Fixed = %v", got)
	}
	if System().Now().Location() != time.UTC {
		t.Fatal("the system clock is not in UTC")
	}
}
