package main

import (
	"reflect"
	"testing"
)

func value(text string) *string { return &text }

func TestAResetStartsFromTheContainersEnvironmentAndNotFromTheLastReset(t *testing.T) {
	born, err := loadRebirth([]string{"PATH=/bin", "SQUALL_VARIANT=grace", "SQUALL_LABEL=now", "SQUALL_INTERNAL_EPOCH=2", "SQUALL_INTERNAL_SEQ=77",
		`SQUALL_INTERNAL_BASE={"PATH":"/bin","SQUALL_VARIANT":"shipped","SQUALL_JOIN":"a"}`})
	if err != nil {
		t.Fatal(err)
	}
	if born.Epoch != 2 || born.Seq != 77 {
		t.Errorf("epoch %d, seq %d", born.Epoch, born.Seq)
	}
	env, err := born.overridden(map[string]*string{"SQUALL_WARP": value("4"), "SQUALL_JOIN": nil})
	if err != nil {
		t.Fatal(err)
	}
	if expected := map[string]string{"PATH": "/bin", "SQUALL_VARIANT": "shipped", "SQUALL_WARP": "4"}; !reflect.DeepEqual(env, expected) {
		t.Errorf("environment %v, expected %v", env, expected)
	}
}

func TestAFirstStartIsEpochZeroWithItsOwnEnvironmentAsBase(t *testing.T) {
	born, err := loadRebirth([]string{"A=1", "B=x=y"})
	if err != nil || born.Epoch != 0 || born.Seq != 0 || !reflect.DeepEqual(born.Base, map[string]string{"A": "1", "B": "x=y"}) {
		t.Errorf("born %+v, %v", born, err)
	}
}

func TestOnlySettingsMayBeOverridden(t *testing.T) {
	for _, name := range []string{"PATH", "GODEBUG", "SQUALL_INTERNAL_SEQ", ""} {
		if _, err := (rebirth{}).overridden(map[string]*string{name: value("x")}); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

func TestWhatNoResetCouldHaveLeftIsRefused(t *testing.T) {
	for _, entry := range []string{"SQUALL_INTERNAL_EPOCH=x", "SQUALL_INTERNAL_SEQ=-1", "SQUALL_INTERNAL_BASE={"} {
		if _, err := loadRebirth([]string{entry}); err == nil {
			t.Errorf("%s was accepted", entry)
		}
	}
}
