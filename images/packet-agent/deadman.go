package main

import (
	"errors"
	"fmt"
	"log"
)

// end is the one way out: everything held leaves in order, every fault is
// lifted, every rule removed, every namespace closed. It runs once; the
// reason is for the log.
func (a *agent) end(reason string) (err error) {
	a.endOnce.Do(func() {
		log.Printf("ending: %s", reason)
		started := monoNs()
		close(a.ending) // paced releases hurry, schedules stop
		err = a.liftAndLeave()
		if err != nil {
			log.Printf("ending: not everything could be undone: %v", err)
		}
		log.Printf("ended after %.1f ms", float64(monoNs()-started)/1e6)
	})
	return err
}

func (a *agent) liftAndLeave() error {
	err := a.lift(a.allFaults())
	return errors.Join(err, bounded(ruleChangesAtOnce, a.allNodes(), a.release))
}

// deadmanReason words why the controller is taken for gone.
func deadmanReason(err error) string { return fmt.Sprintf("the controller is gone (%v)", err) }
