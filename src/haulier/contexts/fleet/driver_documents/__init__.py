"""Papers of drivers: licences, insurances and what else a driver must show, who looked at them and until when they hold."""
