module squall/traffic-node

go 1.26
